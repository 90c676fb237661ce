/* helper.h - the runtime's own thread, for work that is due at a time instead of at an event, and
 * its tasks.
 */
#ifndef GPM_HELPER_H
#define GPM_HELPER_H

#include <stdbool.h>
#include <stdint.h>

/* ---- helper.c: the thread -----------------------------------------------------------------------
 */
/* Starts the thread if a device was seen and it does not run. Returns 0 or an error number. */
int gpm_helper_start(void);
void gpm_helper_wake(void);   /* call it when tasks change; async-signal-safe */
bool gpm_helper_runs(void);   /* true also while a stopped one has not ended */
void gpm_helper_forked(void); /* called in a forked child, which has no helper */

/* ---- monitor.c: samples in every interval (the option monitor=) ---------------------------------
 */
/* Called by the helper, does what is due at `now` (CLOCK_MONOTONIC). Returns by when it must be
 * called next; UINT64_MAX: it need not be. */
uint64_t gpm_monitor_round(uint64_t now);
bool gpm_monitor_is_on(void);
void gpm_monitor_forked(void);

/* ---- triggers.c: when to make a dump (the option dump=) -----------------------------------------
 */
uint64_t gpm_triggers_round(uint64_t now); /* like gpm_monitor_round */
bool gpm_triggers_are_on(void);
void gpm_triggers_start(void); /* once per program: installs the signal handler */
void gpm_triggers_end(void);
void gpm_triggers_forked(void);

#endif /* GPM_HELPER_H */
