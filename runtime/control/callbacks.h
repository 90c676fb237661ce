/* callbacks.h - the program's hooks (gpumemprof_hooks_add): see callbacks.c. */
#ifndef GPM_CALLBACKS_H
#define GPM_CALLBACKS_H

#include "base/program_calls.h"

struct gpm_block;
struct gpm_cell;
struct gpm_node;
struct gpm_observer;
struct gpm_thread;

struct gpumemprof_event *gpm_callbacks_block(struct gpm_thread *thread, enum gpumemprof_what what,
                                             const struct gpm_cell *cell,
                                             const struct gpm_node *node, uint64_t key,
                                             const struct gpm_block *block, uint64_t clock);
/* Adds what cannot be determined inside the runtime. The calling thread must not be busy. */
void gpm_callbacks_complete(struct gpumemprof_event *event);
void gpm_callbacks_call(const struct gpm_observer *o, const struct gpumemprof_event *event);

#endif /* GPM_CALLBACKS_H */
