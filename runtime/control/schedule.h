/* schedule.h - steps of the program, and which of them are recorded: see schedule.c. */
#ifndef GPM_SCHEDULE_H
#define GPM_SCHEDULE_H

#include "base/program_calls.h"

#include "gpumemprof/capture.h"

#include <stdbool.h>

struct gpm_thread;

void gpm_schedule_start(void); /* with each capture */
void gpm_schedule_forked(void);
void gpm_schedule_end(void); /* prints a message if there was no step */
/* Calls the program's function after a cycle ended on this thread, which must not be busy. */
GPM_COLD void gpm_schedule_report(uint32_t cycle);

/* Take and release the lock of all that belongs to steps. */
void gpm_schedule_hold(void);
void gpm_schedule_release(void);

/* ---- growth.c: steps that leave more live than the one before -----------------------------------
 */
void gpm_growth_start(void); /* with each capture */
/* Called at each boundary, under the lock. Returns whether the callback is to be called. */
bool gpm_growth_step(uint64_t step, uint64_t live, uint64_t clock,
                     struct gpumemprof_growth *growth);
GPM_COLD void gpm_growth_report(const struct gpumemprof_growth *growth); /* by a thread not busy */
void gpm_growth_ask(uint64_t bytes, void (*callback)(const struct gpumemprof_growth *, void *),
                    void *data);

#endif /* GPM_SCHEDULE_H */
