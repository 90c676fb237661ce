/* costs.h - what a program does that is about something else than the peak of the run: `gpumemprof
 * advise --rule churn` and the others of costs.def. Each is certain; where a change would also make
 * another peak, that is known, and may be higher.
 *
 *   churn            at least 100 blocks of one size, of one call path, of which no two live
 *                    together: one block before the loop would do
 *   dead-write       a copy or fill of a whole block that the next operation on it, in the same
 *                    stream, overwrites as a whole
 *   pool-regrow      samples saw a pool of CUDA's rise at least 3 times after it had fallen
 *   sync-alloc       at least 100 blocks of one call path, each used in the same stream before the
 *                    next is allocated: cudaMallocAsync would not wait (stream_order.c)
 *   fragmented       a pool of the program grew for holes too small, and its pieces need less
 *                    memory than it took (pool_layout.c)
 *   error-path-leak  blocks that are lost only where a later allocation failed (error_paths.c)
 *   managed-device-only  managed blocks that the host neither reads nor writes (devices_only.c)
 */
#ifndef GPM_TOOLS_COSTS_H
#define GPM_TOOLS_COSTS_H

#include "advice/advice.h"
#include "advice/packing.h"

enum gpm_cost_rule {
#define GPM_COST(NAME, id, text) GPM_COST_##NAME,
#include "costs/costs.def"
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
  uint32_t to;    /* site of what overwrites it (DEAD_WRITE), or of the call that failed
                   * (ERROR_PATH_LEAK); else NONE */
  uint64_t calls; /* that are saved; POOL_REGROW: how often it rose after it had fallen; FRAGMENTED:
                   * how often it grew so; ERROR_PATH_LEAK,
                   * MANAGED_DEVICE_ONLY: blocks */
  uint64_t of;    /* DEAD_WRITE: how many operations the line has made */
  uint64_t bytes; /* CHURN: of a block; DEAD_WRITE: that are written in vain; POOL_REGROW: the most
                   * that it had reserved; SYNC_ALLOC: that the pool takes; FRAGMENTED: that the
                   * pool takes in vain; ERROR_PATH_LEAK: that are lost;
                   * MANAGED_DEVICE_ONLY: of all blocks together */
  bool has_peaks; /* the peak in the run and with the change is known: of the device, or of what the
                   * pool takes (FRAGMENTED): */
  uint64_t before, after;
  enum gpm_packing_way way; /* FRAGMENTED: in which `after` was found */
};

struct gpm_costs {
  struct gpm_cost *cost; /* by rule, the most calls first */
  uint32_t count;
};

/* rules: a bit for each that is asked for. No change of the advice may be made. reader: that of the
 * uses. */
void gpm_costs_find(struct gpm_costs *costs, const struct gpm_uses *uses, struct gpm_advice *advice,
                    struct gpm_reader *reader, unsigned rules);
void gpm_costs_free(struct gpm_costs *costs);

/* ---- between costs.c and a file for each of these rules ---- */

void gpm_costs_add(struct gpm_costs *costs, struct gpm_cost cost);
/* peaks: of the device. */
void gpm_costs_find_sync_alloc(struct gpm_costs *costs, const struct gpm_uses *uses,
                               struct gpm_peaks *peaks, uint32_t device);
void gpm_costs_find_devices_only(struct gpm_costs *costs, const struct gpm_uses *uses,
                                 uint32_t device);
void gpm_costs_find_fragmented(struct gpm_costs *costs, const struct gpm_uses *uses);
void gpm_costs_find_error_paths(struct gpm_costs *costs, const struct gpm_uses *uses,
                                struct gpm_reader *reader);

#endif
