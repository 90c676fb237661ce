/* baseline.h - figures begin anew: see baseline.c.
 *
 * The program asks for it (gpumemprof_reset), and runtime files for the program.
 */
#ifndef GPM_BASELINE_H
#define GPM_BASELINE_H

#include "records/devices.h"

/* The thread is busy, and holds no lock; alone: by gpm_snapshot_enter. */
void gpm_baseline_set(struct gpm_thread *thread, bool alone);

/* How often that was, twice, and 1 more while it is under way. */
uint64_t gpm_baseline_number(void);

#endif /* GPM_BASELINE_H */
