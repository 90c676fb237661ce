/* operands.h - what sizes of allocations are computed from. ledger.c
 * brings each call of a line that has operands; repeats.c asks whether they are those of the call
 * before. */
#ifndef GPM_OPERANDS_H
#define GPM_OPERANDS_H

#include "base/compiler.h"
#include "records/call_tree.h"

#include "gpumemprof/hooks.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_node;
struct gpm_thread;

/* Whether the call under way has the values that were recorded last. Only where no other thread
 * records any. */
static inline bool gpm_operands_same(const struct gpumemprof_operands *o,
                                     const struct gpumemprof_frame *f) {
  if (!o->known || o->value[0] != f->operand[0]) return false;
  return o->count == 1 || (o->count == 2 && o->value[1] == f->operand[1]);
}

GPM_NOINLINE void gpm_operands_note_others(struct gpumemprof_operands *o,
                                           const struct gpumemprof_frame *f, uint64_t bytes);
/* Of the thread's call under way, which asks for `bytes`; line: its node, or null. */
GPM_NOINLINE void gpm_operands_note(struct gpm_thread *thread, const struct gpm_node *line,
                                    uint64_t bytes);
/* The same into the history, after that and right before the call's event. */
GPM_NOINLINE void gpm_operands_event(struct gpm_thread *thread, const struct gpm_node *line);
void gpm_operands_reset(void); /* values recorded so far are forgotten */
void gpm_operands_forget(const void *begin, const void *end); /* an object goes */
void gpm_operands_forked(bool recorded); /* by the parent; else objects may be gone */

#endif /* GPM_OPERANDS_H */
