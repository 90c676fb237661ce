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

/* Whether the call under way has the values that were recorded last. Only while no other thread
 * records values. */
static inline bool gpm_operands_same(const struct gpumemprof_operands *o,
                                     const struct gpumemprof_frame *f) {
  if (!o->known || o->value[0] != f->operand[0]) return false;
  return o->count == 1 || (o->count == 2 && o->value[1] == f->operand[1]);
}

/* The same while other threads may record values. */
static inline bool gpm_operands_same_meanwhile(const struct gpumemprof_operands *o,
                                               const struct gpumemprof_frame *f) {
  uint32_t before = __atomic_load_n(&o->known, __ATOMIC_ACQUIRE);
  bool same = before != 0;
  for (unsigned i = 0; i < o->count && same; i++)
    same = __atomic_load_n(&o->value[i], __ATOMIC_ACQUIRE) == f->operand[i];
  return same && __atomic_load_n(&o->known, __ATOMIC_RELAXED) == before;
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
