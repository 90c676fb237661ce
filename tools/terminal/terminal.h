/* terminal.h - properties of the terminal for drawing: its width, and whether it shows block
 * characters of Unicode. */
#ifndef GPM_TOOLS_TERMINAL_H
#define GPM_TOOLS_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the locale has UTF-8; otherwise drawings are ASCII. */
bool gpm_terminal_is_utf8(void);
/* Columns of standard output; if it is not a terminal, $COLUMNS or 80. */
uint32_t gpm_terminal_width(void);
/* Columns that texts should not exceed: the width of a terminal, else $COLUMNS; 0: any. */
uint32_t gpm_terminal_room(void);
/* Whether standard output is a terminal, and NO_COLOR is not set. */
bool gpm_terminal_has_colours(void);
/* A bar for part / whole in so many columns, drawn in eighths of a column; a part that is not 0 is
 * never empty. To be freed.
 */
char *gpm_terminal_bar(uint64_t part, uint64_t whole, uint32_t columns);
/* Eighths of a column, 0 to 8, from below ("▃") or from the left ("▍"): borrowed. ASCII has blank,
 * `.` and `#`. */
const char *gpm_terminal_eighths(unsigned eighths, bool from_below);

#endif
