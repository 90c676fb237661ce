/* bounds.c - see bounds.h. */
#include "advice/bounds.h"

#include "advice/line_changes.h"
#include "advice/used_span.h"

#include <stdlib.h>

struct lifetimes {
  struct gpm_packed *block;
  uint32_t count;
};

static void add(struct lifetimes *l, uint64_t bytes, uint32_t from, uint32_t to) {
  if (bytes && from < to)
    l->block[l->count++] = (struct gpm_packed){.bytes = bytes, .from = from, .to = to};
}

/* Adds a block from its first use to its last, or from the first one that is no fill. */
static void add_used(const struct gpm_uses *u, const struct gpm_use_block *b, struct lifetimes *l,
                     bool fills_moved) {
  if (gpm_line_changes_not_judged(u, b)) return add(l, b->bytes, b->begin, b->end);
  struct gpm_used_span s = gpm_used_span_of(u, b);
  uint32_t body = s.body == GPUMEMPROF_NONE ? s.last : s.body;
  if (s.used) add(l, b->bytes, fills_moved ? body : s.first, s.last + 1);
}

static uint64_t peak_of(const struct lifetimes *l, uint32_t positions) {
  int64_t *total = gpm_memory_array((size_t)positions + 1, sizeof *total), highest = 0, now = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    total[l->block[i].from] += (int64_t)l->block[i].bytes;
    total[l->block[i].to] -= (int64_t)l->block[i].bytes;
  }
  for (uint32_t i = 0; i < positions; i++) {
    now += total[i];
    if (now > highest) highest = now;
  }
  free(total);
  return (uint64_t)highest;
}

static uint64_t working_set_of(const struct gpm_uses *u, uint32_t device) {
  uint64_t *used = gpm_memory_array(u->device[device].positions, sizeof *used), most = 0;
  for (size_t i = 0; i < u->use_count; i++) {
    const struct gpm_use *use = &u->use[i];
    if (u->block[use->block].device != device || use->flags & GPM_USE_MAYBE) continue;
    used[use->at] += u->block[use->block].bytes;
    if (used[use->at] > most) most = used[use->at];
  }
  free(used);
  return most;
}

struct gpm_bounds gpm_bounds_find(const struct gpm_uses *u, uint32_t device) {
  struct gpm_bounds bounds = {.working_set = working_set_of(u, device)};
  struct lifetimes l = {.block = gpm_memory_array(u->count, sizeof *l.block)};
  uint32_t positions = u->device[device].positions;
  for (unsigned pass = 0; pass < 3; pass++) {
    l.count = 0;
    for (size_t i = 0; i < u->count; i++) {
      const struct gpm_use_block *b = &u->block[i];
      if (b->device != device) continue;
      if (!pass) add(&l, b->bytes, b->begin, b->end);
      else add_used(u, b, &l, pass == 2);
    }
    uint64_t peak = peak_of(&l, positions);
    if (pass == 2) bounds.fills_moved = peak;
    else *(pass ? &bounds.at_ideal : &bounds.run) = gpm_packing_find(l.block, l.count);
    if (!pass) bounds.peak = peak;
    if (pass == 1) bounds.ideal = peak;
  }
  free(l.block);
  return bounds;
}
