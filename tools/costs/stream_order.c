/* stream_order.c - blocks that are allocated and freed between the operations of a loop (costs.h):
 * the rule `sync-alloc`.
 *
 * cudaFree waits for the device, and cudaMalloc may; cudaMallocAsync and cudaFreeAsync do not,
 * where the memory is used in one stream. The peak is that with the blocks of the line in a pool
 * that keeps what it once had (release threshold: the maximum), in which each block gets the
 * smallest free range that fits. In which units a driver takes memory for its pool is not taken
 * into account.
 */
#include "costs/costs.h"

#include "advice/packing.h"

#include <stdlib.h>

enum { LEAST_BLOCKS = 100 };

struct loop_line {
  uint32_t count, between; /* between: blocks that are used before the next is allocated */
  uint32_t first, latest;
  const struct gpm_use *use; /* the first of them all */
  bool no;                   /* it is none of these lines */
};

static bool is_in_one_stream(const struct gpm_uses *u, const struct gpm_use_block *b,
                             struct loop_line *l) {
  if (!l->count && b->count) l->use = &u->use[b->first];
  return gpm_uses_in_stream_of(u, l->use, b);
}

static void count_block(struct loop_line *l, const struct gpm_uses *u, uint32_t *next,
                        uint32_t number) {
  const struct gpm_use_block *b = &u->block[number];
  uint32_t record;
  l->no |= b->kind != GPUMEMPROF_KIND_DEVICE || b->replaced || !b->count ||
           b->free_node == GPUMEMPROF_NONE || !is_in_one_stream(u, b, l) ||
           gpm_uses_first_maybe(u, b, b->begin, b->end, &record) != GPUMEMPROF_NONE;
  if (l->no) return;
  if (l->count) {
    const struct gpm_use_block *before = &u->block[l->latest];
    next[l->latest] = number;
    l->between += u->use[before->first].at < b->begin;
  } else l->first = number;
  l->latest = number;
  l->count++;
}

/* Adds the blocks of the line to the totals, or takes them away. */
static void add_line(struct gpm_peaks *p, const struct gpm_uses *u, const struct loop_line *l,
                     const uint32_t *next, int64_t sign) {
  for (uint32_t i = l->first, left = l->count; left--; i = next[i])
    gpm_peaks_add(p, u->block[i].begin, u->block[i].end, sign * (int64_t)u->block[i].bytes);
}

/* The same with what a pool for them has, from each block that makes it larger on. */
static void add_pool(struct gpm_peaks *p, const struct gpm_packed *block, uint32_t count,
                     uint32_t positions, int64_t sign) {
  uint64_t has = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t end = block[i].offset + block[i].bytes;
    if (end <= has) continue;
    gpm_peaks_add(p, block[i].from, positions, sign * (int64_t)(end - has));
    has = end;
  }
}

static void add_cost(struct gpm_costs *c, const struct gpm_uses *u, struct gpm_peaks *p,
                     const struct loop_line *l, const uint32_t *next, uint32_t node) {
  struct gpm_packed *block = gpm_memory_array(l->count, sizeof *block);
  uint32_t count = 0, device = u->block[l->first].device;
  for (uint32_t i = l->first; count < l->count; i = next[i])
    block[count++] = (struct gpm_packed){
        .bytes = u->block[i].bytes, .from = u->block[i].begin, .to = u->block[i].end};
  struct gpm_cost cost = {.rule = GPM_COST_SYNC_ALLOC,
                          .device = device,
                          .from = u->profile->site[node],
                          .to = GPUMEMPROF_NONE,
                          .calls = 2 * (uint64_t)l->count,
                          .has_peaks = true,
                          .before = (uint64_t)gpm_peaks_now(p)};
  cost.bytes = gpm_packing_best_fit(block, count);
  add_line(p, u, l, next, -1);
  add_pool(p, block, count, u->device[device].positions, 1);
  cost.after = (uint64_t)gpm_peaks_now(p);
  add_pool(p, block, count, u->device[device].positions, -1);
  add_line(p, u, l, next, 1);
  gpm_costs_add(c, cost);
  free(block);
}

void gpm_costs_find_sync_alloc(struct gpm_costs *c, const struct gpm_uses *u, struct gpm_peaks *p,
                               uint32_t device) {
  const struct gpm_profile *profile = u->profile;
  struct loop_line *of = gpm_memory_array(profile->node_count, sizeof *of);
  uint32_t *next = gpm_memory_array(u->count, sizeof *next); /* of its line, by block */
  for (uint32_t i = 0; i < u->count; i++)
    if (u->block[i].device == device) count_block(&of[u->block[i].node], u, next, i);
  for (uint32_t node = 0; node < profile->node_count; node++)
    if (!of[node].no && of[node].count >= LEAST_BLOCKS && of[node].between >= LEAST_BLOCKS - 1 &&
        gpm_line_changes_site_is_known(profile->reader, profile->site[node]))
      add_cost(c, u, p, &of[node], next, node);
  free(of);
  free(next);
}
