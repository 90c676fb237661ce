/* progress.h - one line on a terminal that names work that takes longer than a second, and how far
 * it is. Nothing is written if stderr is not a terminal. A timer (SIGALRM) writes the line if the
 * second passes during the work. */
#ifndef GPM_TOOLS_PROGRESS_H
#define GPM_TOOLS_PROGRESS_H

#include <stdint.h>

/* What is being done now. Null removes the line, which has to happen before anything else is
 * printed. The caller owns the text. */
void gpm_progress(const char *what);
/* How much of it is done. Costs one reading of the clock; has no effect if gpm_progress named no
 * work.
 */
void gpm_progress_share(uint64_t done, uint64_t of);

#endif
