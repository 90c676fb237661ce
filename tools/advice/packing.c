/* packing.c - see packing.h: the bounds, and offsets by size. */
#include "advice/packing.h"

#include "support/memory.h"

#include <stdbool.h>

enum { MOST_BY_SIZE = 100000 };
static const uint64_t most_pairs = 50000000; /* of blocks that are live at once */

/* ---- the largest first -------------------------------------------------------------------------
 */

struct placed {
  uint64_t offset, end;
};

struct packer {
  struct gpm_packed *block;
  uint32_t count, leaves;
  uint32_t *latest;      /* a tree over the blocks: the latest `to` of those that are placed */
  struct placed *beside; /* what is live with the present block */
  uint32_t beside_count;
};

static void place(struct packer *p, uint32_t number, uint64_t offset) {
  p->block[number].offset = offset;
  for (uint32_t i = p->leaves + number; i && p->latest[i] < p->block[number].to; i /= 2)
    p->latest[i] = p->block[number].to;
}

/* Finds the blocks below a node of the tree that are placed, begin before `to` and end behind
 * `from`. */
static void find_beside(struct packer *p, uint32_t node, uint32_t from, uint32_t to) {
  if (p->latest[node] <= from) return;
  if (node < p->leaves) {
    find_beside(p, 2 * node, from, to);
    uint32_t right = 2 * node + 1, first = right;
    while (first < p->leaves) first *= 2;
    first -= p->leaves;
    if (first < p->count && p->block[first].from < to) find_beside(p, right, from, to);
    return;
  }
  const struct gpm_packed *b = &p->block[node - p->leaves];
  if (b->from < to) p->beside[p->beside_count++] = (struct placed){b->offset, b->offset + b->bytes};
}

static int by_offset(const void *a, const void *b) {
  const struct placed *x = a, *y = b;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Returns the offset of the smallest gap that is large enough, the lowest of several. */
static uint64_t gap_for(struct packer *p, const struct gpm_packed *b) {
  p->beside_count = 0;
  find_beside(p, 1, b->from, b->to);
  if (p->beside_count) qsort(p->beside, p->beside_count, sizeof *p->beside, by_offset);
  uint64_t end = 0, best = 0, least = UINT64_MAX;
  for (uint32_t i = 0; i < p->beside_count; i++) {
    const struct placed *next = &p->beside[i];
    if (next->offset > end && next->offset - end >= b->bytes && next->offset - end < least) {
      best = end;
      least = next->offset - end;
    }
    if (next->end > end) end = next->end;
  }
  return least == UINT64_MAX ? end : best;
}

static int largest_first(const void *a, const void *b, void *data) {
  const struct gpm_packed *block = data;
  const uint32_t *x = a, *y = b;
  if (block[*x].bytes != block[*y].bytes) return block[*x].bytes > block[*y].bytes ? -1 : 1;
  return *x < *y ? -1 : *x > *y;
}

uint64_t gpm_packing_by_size(struct gpm_packed *block, uint32_t count) {
  struct packer p = {.block = block, .count = count, .leaves = 1};
  uint32_t *order = gpm_memory_array(count, sizeof *order);
  uint64_t size = 0;
  while (p.leaves < count) p.leaves *= 2;
  p.latest = gpm_memory_array((size_t)p.leaves * 2, sizeof *p.latest);
  p.beside = gpm_memory_array(count, sizeof *p.beside);
  for (uint32_t i = 0; i < count; i++) order[i] = i;
  if (count) qsort_r(order, count, sizeof *order, largest_first, block);
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_packed *b = &block[order[i]];
    place(&p, order[i], gap_for(&p, b));
    if (b->offset + b->bytes > size) size = b->offset + b->bytes;
  }
  free(order);
  free(p.latest);
  free(p.beside);
  return size;
}

/* ---- both --------------------------------------------------------------------------------------
 */

static int by_begin(const void *a, const void *b) {
  const struct gpm_packed *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  if (x->to != y->to) return x->to > y->to ? -1 : 1;
  return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

static int by_end(const void *a, const void *b) {
  const struct gpm_packed *x = *(const struct gpm_packed *const *)a,
                          *y = *(const struct gpm_packed *const *)b;
  return x->to < y->to ? -1 : x->to > y->to;
}

/* Returns the highest total; *pairs: how many pairs of blocks are live at once. */
static uint64_t highest_total(struct gpm_packed *block, uint32_t count, uint64_t *pairs) {
  struct gpm_packed **ends = gpm_memory_array(count, sizeof(struct gpm_packed *));
  uint64_t total = 0, highest = 0;
  uint32_t ended = 0;
  *pairs = 0;
  for (uint32_t i = 0; i < count; i++) ends[i] = &block[i];
  if (count) qsort(ends, count, sizeof *ends, by_end);
  for (uint32_t i = 0; i < count; i++) {
    while (ends[ended]->to <= block[i].from) total -= ends[ended++]->bytes;
    *pairs += i - ended;
    total += block[i].bytes;
    if (total > highest) highest = total;
  }
  free(ends);
  return highest;
}

struct gpm_packing gpm_packing_find(struct gpm_packed *block, uint32_t count) {
  struct gpm_packing found = {0};
  uint64_t pairs;
  if (count) qsort(block, count, sizeof *block, by_begin);
  found.lower = highest_total(block, count, &pairs);
  bool by_size = count <= MOST_BY_SIZE && pairs <= most_pairs;
  found.way = by_size ? GPM_PACKING_BY_SIZE : GPM_PACKING_BEST_FIT;
  found.upper = by_size ? gpm_packing_by_size(block, count) : gpm_packing_best_fit(block, count);
  return found;
}
