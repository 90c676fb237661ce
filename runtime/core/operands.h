/* operands.h - the values that sizes of allocations are computed from: see operands.c. ledger.c
 * records them for each call of a line that has operands; repeats.c asks whether they are the same
 * as in the call before. */
#ifndef GPM_OPERANDS_H
#define GPM_OPERANDS_H

#include "base/compiler.h"
#include "records/call_tree.h"

#include "gpumemprof/hooks.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_node;
struct gpm_thread;

/* Whether the call under way has the values that were recorded last, if those are at most two.
 * Other threads may record values meanwhile. */
static inline bool gpm_operands_same(const struct gpumemprof_operands *o,
                                     const struct gpumemprof_frame *f) {
  uint32_t before = __atomic_load_n(&o->known, __ATOMIC_ACQUIRE);
  if (!before || __atomic_load_n(&o->value[0], __ATOMIC_ACQUIRE) != f->operand[0]) return false;
  if (o->count > 1 &&
      (o->count > 2 || __atomic_load_n(&o->value[1], __ATOMIC_ACQUIRE) != f->operand[1]))
    return false;
  return __atomic_load_n(&o->known, __ATOMIC_RELAXED) == before;
}

GPM_NOINLINE void gpm_operands_note_others(struct gpumemprof_operands *o,
                                           const struct gpumemprof_frame *f, uint64_t bytes);
/* Records the operands of the thread's call under way, which asks for `bytes`. line: its node, or
 * null. */
GPM_NOINLINE void gpm_operands_note(struct gpm_thread *thread, const struct gpm_node *line,
                                    uint64_t bytes);
/* Adds them to the history; call after gpm_operands_note and directly before the call's event. */
GPM_NOINLINE void gpm_operands_event(struct gpm_thread *thread, const struct gpm_node *line);
void gpm_operands_reset(void); /* forgets the values recorded so far */
void gpm_operands_forget(const void *begin, const void *end); /* before an object is unmapped */
/* recorded: the parent recorded events; otherwise its objects may have been unloaded since. */
void gpm_operands_forked(bool recorded);

#endif /* GPM_OPERANDS_H */
