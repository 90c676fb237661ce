/* capture_budgets.h - a part of capture.h: the budgets of the source (GPUMEMPROF_SITE_BUDGETS) that
 * were broken, as docs/ACCOUNTING.md defines them. */
#ifndef GPUMEMPROF_CAPTURE_BUDGETS_H
#define GPUMEMPROF_CAPTURE_BUDGETS_H

#include "gpumemprof/capture.h"

enum gpumemprof_budget {
  GPUMEMPROF_BUDGET_BYTES = 1, /* GPUMEMPROF_SITE_BUDGET; the limit is its site's */
  GPUMEMPROF_BUDGET_NO_ALLOC = 2,
  GPUMEMPROF_BUDGET_NO_LEAK = 3
};
/* Whether an allocation of that kind is one for NO_ALLOC and NO_LEAK. */
static inline int gpumemprof_kind_has_budget(uint32_t kind) {
  return kind != GPUMEMPROF_KIND_STATIC && kind != GPUMEMPROF_KIND_IMPORTED &&
         kind != GPUMEMPROF_KIND_CUSTOM;
}

/* A budget that was broken, one record for each call path and budget. Whether a budget was broken
 * also follows from other figures: for BYTES from the own_peak_max of the node, for NO_ALLOC from
 * the cells below it, until a gpumemprof_reset discards them. For NO_LEAK it follows from this
 * record alone. Activations that are still open are judged by readers. */
struct gpumemprof_capture_violation {
  uint32_t node;   /* of the scope */
  uint16_t budget; /* enum gpumemprof_budget */
  uint16_t reserved0;
  /* The call, on a path through the scope, of an allocation: NO_ALLOC: the first; NO_LEAK: the
   * largest that was left when the record was made; else, or if not known, NONE. */
  uint32_t where;
  uint32_t reserved1;
  uint64_t first_ticks; /* when it was first seen */
  uint64_t first_clock; /* allocation clock then */
  uint64_t times;       /* (live) BYTES, NO_LEAK: ended activations that broke it; else 0 */
  uint64_t bytes;       /* (live) BYTES: the highest own peak, NO_LEAK: the most left; else 0 */
  uint64_t blocks;      /* (live) NO_LEAK: in how many blocks that was */
  uint64_t reserved2;
};
_Static_assert(sizeof(struct gpumemprof_capture_violation) == 64, "violation layout");

#endif /* GPUMEMPROF_CAPTURE_BUDGETS_H */
