/* pager.h - sends the output of a command on a terminal through a pager if it does not fit on the
 * screen, as git does: $GPUMEMPROF_PAGER, $PAGER or less.
 *
 * Nothing is shown until the screen would be full, and no pager is started if it never is. File
 * descriptor 1 stays the terminal, so that colours and widths are those of a terminal.
 */
#ifndef GPM_TOOLS_PAGER_H
#define GPM_TOOLS_PAGER_H

#include <stdbool.h>

/* Redirects stdout to it, if stdout is a terminal and the command shows a capture. */
void gpm_pager_begin(const char *command);
/* Shows the rest and waits until the user quits the pager; also called at exit(). False: the
 * terminal could not be written. */
bool gpm_pager_end(void);

#endif
