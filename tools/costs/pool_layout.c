/* pool_layout.c - a pool of the program's own that grew although enough of it was free (costs.h):
 * the rule `fragmented`.
 *
 * How large an arena for its pieces has to be is found by the packing of `--bounds`, with each
 * piece at one offset for as long as it lived. The history does not say to which pool a piece
 * belongs, so the rule is given where the program has one pool, of which everything is known.
 */
#include "costs/costs.h"

#include "advice/packing.h"

#include <stdlib.h>

static struct gpm_packing packing_of(const struct gpm_uses *u) {
  struct gpm_packed *piece = gpm_memory_array(u->count, sizeof *piece);
  uint32_t count = 0;
  for (size_t i = 0; i < u->count; i++) {
    const struct gpm_use_block *b = &u->block[i];
    if (b->kind == GPUMEMPROF_KIND_CUSTOM && b->bytes && b->begin < b->end)
      piece[count++] = (struct gpm_packed){.bytes = b->bytes, .from = b->begin, .to = b->end};
  }
  struct gpm_packing packing = gpm_packing_find(piece, count);
  free(piece);
  return packing;
}

static bool is_known(const struct gpumemprof_capture_custom_pool *p) {
  bool others = p->flags & (GPUMEMPROF_CUSTOM_POOL_OTHERS | GPUMEMPROF_CUSTOM_POOL_SEVERAL_DEVICES);
  return !others && p->device != GPUMEMPROF_NONE && !p->outside.blocks;
}

void gpm_costs_find_fragmented(struct gpm_costs *c, const struct gpm_uses *u) {
  const struct gpm_reader *r = u->profile->reader;
  if (r->custom_pools.count != 1) return;
  const struct gpumemprof_capture_custom_pool *p = gpm_reader_record(&r->custom_pools, 0);
  if (!p->fragmented || !is_known(p)) return;
  struct gpm_packing packing = packing_of(u);
  if (packing.upper >= p->reserved_peak) return;
  gpm_costs_add(c, (struct gpm_cost){.rule = GPM_COST_FRAGMENTED,
                                     .device = p->device,
                                     .from = GPUMEMPROF_NONE,
                                     .to = GPUMEMPROF_NONE,
                                     .calls = p->fragmented,
                                     .bytes = p->reserved_peak - packing.upper,
                                     .has_peaks = true,
                                     .before = p->reserved_peak,
                                     .after = packing.upper,
                                     .way = packing.way});
}
