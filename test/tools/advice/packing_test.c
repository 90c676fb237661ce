/* packing_test.c - offsets in an arena (tools/advice/packing.h) for random blocks: no two that are
 * live at once overlap, the bounds are those of an exhaustive computation, and no smaller arena
 * than the lower bound was found. */
#undef NDEBUG
#include "advice/packing.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 60 };

static unsigned state;

static unsigned below(unsigned limit) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % limit;
}

static bool overlap(const struct gpm_packed *a, const struct gpm_packed *b) {
  return a->from < b->to && b->from < a->to;
}

static void check_offsets(const struct gpm_packed *block, unsigned count, uint64_t size) {
  uint64_t end = 0;
  for (unsigned i = 0; i < count; i++) {
    if (block[i].offset + block[i].bytes > end) end = block[i].offset + block[i].bytes;
    for (unsigned k = 0; k < i; k++)
      assert(!overlap(&block[i], &block[k]) ||
             block[i].offset + block[i].bytes <= block[k].offset ||
             block[k].offset + block[k].bytes <= block[i].offset);
  }
  assert(end == size);
}

static uint64_t highest_total(const struct gpm_packed *block, unsigned count, unsigned positions) {
  uint64_t highest = 0;
  for (unsigned at = 0; at < positions; at++) {
    uint64_t total = 0;
    for (unsigned i = 0; i < count; i++)
      if (block[i].from <= at && at < block[i].to) total += block[i].bytes;
    if (total > highest) highest = total;
  }
  return highest;
}

/* The least arena, by trying each order: each block at the lowest offset at which it fits, which
 * finds an arena of the least size for one of the orders. */
static uint64_t least(struct gpm_packed *block, unsigned count, unsigned done, uint64_t size,
                      uint64_t best) {
  if (size >= best) return best;
  if (done == count) return size;
  for (unsigned i = done; i < count; i++) {
    struct gpm_packed chosen = block[i];
    block[i] = block[done];
    chosen.offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (unsigned k = 0; k < done; k++)
        if (overlap(&chosen, &block[k]) && chosen.offset < block[k].offset + block[k].bytes &&
            block[k].offset < chosen.offset + chosen.bytes) {
          chosen.offset = block[k].offset + block[k].bytes;
          moved = true;
        }
    }
    struct gpm_packed before = block[done];
    block[done] = chosen;
    uint64_t end = chosen.offset + chosen.bytes;
    best = least(block, count, done + 1, end > size ? end : size, best);
    block[done] = before;
    block[i] = chosen;
  }
  return best;
}

static void check(unsigned seed) {
  struct gpm_packed block[MOST], copy[MOST];
  state = seed;
  unsigned count = below(seed % 3 ? 7 : MOST), positions = 2 + below(20);
  for (unsigned i = 0; i < count; i++) {
    uint32_t from = below(positions - 1);
    block[i] = (struct gpm_packed){
        .bytes = 512 * (1 + below(8)), .from = from, .to = from + 1 + below(positions - from - 1)};
  }
  struct gpm_packing found = gpm_packing_find(block, count);
  assert(found.way == GPM_PACKING_BY_SIZE && found.lower == highest_total(block, count, positions));
  assert(found.upper >= found.lower);
  check_offsets(block, count, found.upper);
  memcpy(copy, block, sizeof copy);
  check_offsets(copy, count, gpm_packing_best_fit(copy, count));
  if (count > 6) return;
  uint64_t size = least(copy, count, 0, 0, UINT64_MAX);
  assert(found.lower <= size && size <= found.upper);
}

/* More blocks than the bound: best fit, which has no gap if all blocks are of one size. */
static void many(void) {
  enum { COUNT = 200000 };
  struct gpm_packed *block = calloc(COUNT, sizeof *block);
  for (uint32_t i = 0; i < COUNT; i++)
    block[i] = (struct gpm_packed){.bytes = 512, .from = i, .to = i + 1 + i % 1000};
  struct gpm_packing found = gpm_packing_find(block, COUNT);
  assert(found.way == GPM_PACKING_BEST_FIT && found.lower == found.upper &&
         found.lower > 100 * 512);
  free(block);
}

int main(void) {
  for (unsigned seed = 0; seed < 3000; seed++) check(seed);
  many();
  printf("no two blocks overlap\n");
  return 0;
}
