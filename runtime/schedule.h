/* schedule.h - steps of the program, and which of them are recorded: see schedule.c. */
#ifndef GPM_SCHEDULE_H
#define GPM_SCHEDULE_H

#include "runtime.h"

void gpm_schedule_start(void); /* with each capture */
void gpm_schedule_forked(void);
void gpm_schedule_end(void); /* says if there was no step */
/* Whether each entry of the scope is a step (step=). Under gpm_tree_lock. */
bool gpm_schedule_marks(const struct gpumemprof_capture_site *scope);
/* Such a scope is entered. The thread is busy. */
GPM_COLD void gpm_schedule_entered(struct gpm_thread *thread);
/* A cycle ended on this thread, which is not busy: the program's function is called. */
GPM_COLD void gpm_schedule_tell(uint32_t cycle);

#endif /* GPM_SCHEDULE_H */
