/* costs.h - what a program does that costs time and no memory: `gpumemprof advise --rule churn`,
 * `dead-write` and `pool-regrow`. Each is certain; of churn, the peak with the change is known, and
 * may be higher.
 *
 *   churn        at least 100 blocks of one size, of one call path, of which no two live together:
 *                one block before the loop would do
 *   dead-write   a copy or fill of a whole block that the next operation on it, in the same stream,
 *                overwrites as a whole
 *   pool-regrow  samples saw a pool of CUDA's rise at least 3 times after it had fallen
 */
#ifndef GPM_TOOLS_COSTS_H
#define GPM_TOOLS_COSTS_H

#include "advice/advice.h"

enum gpm_cost_rule {
#define GPM_COST(NAME, id, text) GPM_COST_##NAME,
#include "advice/costs.def"
  GPM_COSTS
};
struct gpm_cost_text {
  const char *id, *text;
};
extern const struct gpm_cost_text gpm_cost_texts[GPM_COSTS];

struct gpm_cost {
  enum gpm_cost_rule rule;
  uint32_t device;
  uint32_t from;  /* site of the line: the allocation, the write, what made the pool; or NONE */
  uint32_t to;    /* DEAD_WRITE: site of what overwrites it; else NONE */
  uint64_t calls; /* that are saved; POOL_REGROW: how often it rose after it had fallen */
  uint64_t bytes; /* CHURN: of a block; DEAD_WRITE: that are written in vain; POOL_REGROW: the most
                   * that it had reserved */
  uint64_t before, after; /* CHURN: the peak of the device in the run, and with the change */
};

struct gpm_costs {
  struct gpm_cost *cost; /* by rule, the most calls first */
  uint32_t count;
};

/* rules: a bit for each that is asked for. No change of the advice may be made. */
void gpm_costs_find(struct gpm_costs *costs, const struct gpm_uses *uses, struct gpm_advice *advice,
                    unsigned rules);
void gpm_costs_free(struct gpm_costs *costs);

#endif
