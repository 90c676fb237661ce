/* terminal.h - what is drawn on a terminal: its width, and whether it shows blocks of Unicode. */
#ifndef GPM_TOOLS_TERMINAL_H
#define GPM_TOOLS_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/* The locale has UTF-8; else what is drawn is ASCII. */
bool gpm_terminal_is_utf8(void);
/* Columns of standard output; 80 where it is no terminal. */
uint32_t gpm_terminal_width(void);
/* Standard output is one, and NO_COLOR is not set. */
bool gpm_terminal_has_colours(void);
/* A bar of part / whole of so many columns, in eighths; what is not 0 is never nothing. To be
 * freed.
 */
char *gpm_terminal_bar(uint64_t part, uint64_t whole, uint32_t columns);
/* Eighths of a column, 0 to 8, from below ("▃") or from the left ("▍"): borrowed. ASCII has blank,
 * `.` and `#`. */
const char *gpm_terminal_eighths(unsigned eighths, bool from_below);

#endif
