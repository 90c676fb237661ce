/* helper.h - the runtime's own thread, for what happens at a time and not at an event, and its
 * tasks.
 */
#ifndef GPM_HELPER_H
#define GPM_HELPER_H

#include <stdbool.h>
#include <stdint.h>

/* ---- helper.c: its life -------------------------------------------------------------------------
 */
/* Starts it if a device was seen and it does not run. 0, or an error number. */
int gpm_helper_start(void);
void gpm_helper_wake(void);   /* its tasks changed; async-signal-safe */
bool gpm_helper_runs(void);   /* also when it was stopped and has not ended */
void gpm_helper_forked(void); /* in a forked child, which has none */

/* ---- monitor.c: samples in every interval (the option monitor=) ---------------------------------
 */
/* By the helper: what is due at `now`, CLOCK_MONOTONIC. When it wants to be called again at the
 * latest; UINT64_MAX: not at all. */
uint64_t gpm_monitor_round(uint64_t now);
bool gpm_monitor_is_on(void);
void gpm_monitor_forked(void);

/* ---- triggers.c: when to make a dump (the option dump=) -----------------------------------------
 */
uint64_t gpm_triggers_round(uint64_t now); /* as gpm_monitor_round */
bool gpm_triggers_are_on(void);
void gpm_triggers_start(void); /* once per program: takes the signal */
void gpm_triggers_end(void);
void gpm_triggers_forked(void);

#endif /* GPM_HELPER_H */
