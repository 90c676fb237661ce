/* budgets.h - finds the budgets of the source (GPUMEMPROF_BUDGET, NO_ALLOC, NO_LEAK) that were
 * broken.
 *
 * A budget belongs to a site: a function or a block. Each of its call paths is judged by itself,
 * and they are shown as one, with the worst of them. docs/ACCOUNTING.md has the definitions.
 */
#ifndef GPM_TOOLS_BUDGETS_H
#define GPM_TOOLS_BUDGETS_H

#include "model/profile.h"

struct gpm_budget {
  uint32_t site; /* site of the scope */
  enum gpumemprof_budget kind;
  bool broken;
  bool undecided;  /* NO_LEAK: a scope is still open, and none has broken the budget */
  uint32_t node;   /* node of the scope on the worst path */
  uint32_t where;  /* node of an allocation below it; NONE: not known */
  uint32_t paths;  /* number of paths on which it was broken */
  uint64_t limit;  /* BYTES */
  uint64_t bytes;  /* BYTES: the highest own peak; NO_ALLOC: all that was allocated; NO_LEAK: the
                      most that was left */
  uint64_t blocks; /* NO_LEAK: the blocks that were left; else 0 */
  uint64_t times;  /* number of activations that broke it; NO_ALLOC: of allocations */
  uint64_t ticks;  /* when it was first broken; 0: not known */
};
struct gpm_budgets {
  struct gpm_budget *budget; /* broken ones first, by location */
  uint32_t count, broken, undecided, kept;
};

struct gpm_budgets gpm_budgets_judge(const struct gpm_profile *profile);
void gpm_budgets_free(struct gpm_budgets *budgets);
/* Returns "budget", "no_alloc" or "no_leak". */
const char *gpm_budgets_kind(enum gpumemprof_budget kind);

#endif
