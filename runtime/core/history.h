/* history.h - every event one by one: see history.c.
 *
 * Off unless asked for (the option history=, gpumemprof_history), so callers test gpm_history_is_on
 * first, once for an event: ledger.c for what allocations and frees did, shadow_stack.c for scopes
 * that ended. The calling thread is busy.
 */
#ifndef GPM_HISTORY_H
#define GPM_HISTORY_H

#include "threads/observing.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_thread;

static inline bool gpm_history_is_on(void) {
  return gpm_observed(GPM_OBSERVING_HISTORY);
}
/* The oldest events are overwritten. gpm_own has another generation when that changes. */
bool gpm_history_is_ring(void);
void gpm_history_start(void); /* also in a forked child */
void gpm_history_reset(void); /* the capture's counters are about to be reset */
void gpm_history_allocated(struct gpm_thread *thread, uint32_t cell, uint64_t address,
                           uint64_t bytes, uint64_t padding, uint64_t clock, uint64_t ticks);
/* kind: GPUMEMPROF_EVENT_FREED or GPUMEMPROF_EVENT_TAKEN_BACK */
void gpm_history_freed(struct gpm_thread *thread, unsigned kind, uint32_t pair, uint64_t address,
                       uint64_t clock, uint64_t ticks);
void gpm_history_failed(struct gpm_thread *thread, uint32_t node, uint64_t requested,
                        bool out_of_memory);
/* The values from which the size of the following event was computed. number: a record of
 * OPERANDS. */
void gpm_history_operands(struct gpm_thread *thread, uint32_t number, uint32_t count,
                          const uint64_t *values);
/* An operation used memory. record: of USES. same: the values are those of the event of that record
 * whose chunk *sequence is (0: none); *sequence becomes that of this event. */
void gpm_history_used(struct gpm_thread *thread, uint32_t record, uint32_t count,
                      const uint64_t *values, bool same, uint64_t *sequence);
void gpm_history_scope_ended(struct gpm_thread *thread, uint32_t node);

#endif /* GPM_HISTORY_H */
