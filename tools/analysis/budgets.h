/* budgets.h - which budgets of the source (GPUMEMPROF_BUDGET, NO_ALLOC, NO_LEAK) were broken.
 *
 * A budget is one of a place: a function or a block. Its call paths are judged apart and shown as
 * one, with the worst of them. The definitions are those of docs/ACCOUNTING.md.
 */
#ifndef GPM_TOOLS_BUDGETS_H
#define GPM_TOOLS_BUDGETS_H

#include "model/profile.h"

struct gpm_budget {
  uint32_t site; /* of the scope */
  enum gpumemprof_budget kind;
  bool broken;
  bool undecided;  /* NO_LEAK: a scope is still open, and none has broken it */
  uint32_t node;   /* of the scope, on the worst path */
  uint32_t where;  /* call of an allocation there; NONE: not known */
  uint32_t paths;  /* on which it was broken */
  uint64_t limit;  /* BYTES */
  uint64_t bytes;  /* the highest own peak; all that was allocated; the most that was left */
  uint64_t blocks; /* NO_LEAK: in how many blocks that was; else 0 */
  uint64_t times;  /* activations that broke it; NO_ALLOC: allocations */
  uint64_t ticks;  /* when first; 0: not known */
};
struct gpm_budgets {
  struct gpm_budget *budget; /* broken ones first, by their place */
  uint32_t count, broken, undecided, kept;
};

struct gpm_budgets gpm_budgets_judge(const struct gpm_profile *profile);
void gpm_budgets_free(struct gpm_budgets *budgets);
/* "budget", "no_alloc" or "no_leak". */
const char *gpm_budgets_kind(enum gpumemprof_budget kind);

#endif
