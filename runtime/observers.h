/* observers.h - what the program asked to be told of (control.h): see observers.c.
 *
 * ledger.c, stream_pools.c and cuda_hooks.c note what happens while gpm_observed says that somebody
 * asks; who ends an event leaves the runtime through gpm_observers_leave, which tells it. Nobody is
 * alone (bias.h) while somebody asks, so the path of a thread that is alone does not look.
 */
#ifndef GPM_OBSERVERS_H
#define GPM_OBSERVERS_H

#include "program_calls.h"

enum gpm_observing { GPM_OBSERVING_HOOKS = 1u };
extern _Atomic unsigned gpm_observers; /* enum gpm_observing */
static inline bool gpm_observed(enum gpm_observing what) {
  return GPM_UNLIKELY(atomic_load_explicit(&gpm_observers, memory_order_relaxed) & what);
}

/* What the thread will be told when it leaves. The first three under the lock of the device. */
GPM_COLD void gpm_observers_allocated(struct gpm_thread *thread, const struct gpm_cell *cell,
                                      uint64_t address, const struct gpm_block *block,
                                      uint64_t requested);
GPM_COLD void gpm_observers_freed(struct gpm_thread *thread, const struct gpm_pair *pair,
                                  uint64_t address, const struct gpm_block *block, uint64_t clock);
GPM_COLD void gpm_observers_free_failed(struct gpm_thread *thread, const struct gpm_pair *pair,
                                        uint64_t address, const struct gpm_block *block,
                                        uint64_t clock, int result);
/* node: null where the line is not known. */
GPM_COLD void gpm_observers_failed(struct gpm_thread *thread, const struct gpm_node *node,
                                   uint16_t kind, uint64_t requested, int result);
GPM_COLD void gpm_observers_acquired(const struct gpm_device *device, uint16_t kind,
                                     uint64_t handle, uint64_t bytes);

GPM_COLD void gpm_observers_tell(struct gpm_thread *thread);
/* The thread is not busy any more. */
static inline void gpm_observers_leave(struct gpm_thread *thread) {
  gpm_set_busy(thread, false);
  if (GPM_UNLIKELY(thread->noted.count)) gpm_observers_tell(thread);
}
void gpm_observers_forked(void);

#endif /* GPM_OBSERVERS_H */
