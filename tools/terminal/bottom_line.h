/* bottom_line.h - a line at the bottom of the terminal, while a program writes above it. */
#ifndef GPM_TOOLS_BOTTOM_LINE_H
#define GPM_TOOLS_BOTTOM_LINE_H

#include <stdbool.h>

/* Draws on stderr, if that is a terminal that supports it. */
bool gpm_bottom_line_possible(void);
void gpm_bottom_line_show(const char *text);
void gpm_bottom_line_end(void); /* removes the line */

#endif
