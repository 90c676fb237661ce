/* pager.h - what a command prints on a terminal goes through a pager where the screen has no room
 * for it, as git does it: $GPUMEMPROF_PAGER, $PAGER or less.
 *
 * Until the screen would be full nothing is shown, and no pager is started if it never is. File
 * descriptor 1 stays the terminal, so that colours and widths are those of a terminal.
 */
#ifndef GPM_TOOLS_PAGER_H
#define GPM_TOOLS_PAGER_H

#include <stdbool.h>

/* Puts stdout behind it, if that is a terminal and the command is one that shows a capture. */
void gpm_pager_begin(const char *command);
/* Shows what is left and waits until the pager was left; also at exit(). False: the terminal did
 * not take it. */
bool gpm_pager_end(void);

#endif
