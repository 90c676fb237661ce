/* progress.h - one line on a terminal that tells what takes longer than a second, and how far it
 * got. Nothing where stderr is no terminal. */
#ifndef GPM_TOOLS_PROGRESS_H
#define GPM_TOOLS_PROGRESS_H

#include <stdint.h>

/* What is being done now; null takes the line away, before anything else is printed. The text stays
 * the caller's. */
void gpm_progress(const char *what);
/* How much of it is done. Costs a look at the clock; does nothing while nothing is being done. */
void gpm_progress_share(uint64_t done, uint64_t of);

#endif
