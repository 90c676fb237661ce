/* not_decided.c - how much of a peak may be waste, for all that is known (bounds.h).
 *
 * Two peaks are compared: one in which blocks live as long as something uses them or may use them,
 * and one in which they live only as long as something certainly does.
 */
#include "advice/bounds.h"

#include "advice/line_changes.h"
#include "advice/used_span.h"

#include <stdlib.h>

static void add(int64_t *total, uint64_t bytes, uint32_t from, uint32_t to) {
  if (from >= to) return;
  total[from] += (int64_t)bytes;
  total[to] -= (int64_t)bytes;
}

static void add_needed(int64_t *total, const struct gpm_uses *u, const struct gpm_use_block *b) {
  if (gpm_line_changes_not_judged(u, b)) return add(total, b->bytes, b->begin, b->end);
  struct gpm_used_span s = gpm_used_span_of(u, b);
  if (s.used) add(total, b->bytes, s.first, s.last + 1);
}

/* Variables and memory of other processes are there whatever the program does. */
static bool is_given(const struct gpm_use_block *b) {
  return b->kind == GPUMEMPROF_KIND_STATIC || b->kind == GPUMEMPROF_KIND_IMPORTED;
}

static void add_certain(int64_t *total, const struct gpm_uses *u, const struct gpm_use_block *b) {
  if (is_given(b)) return add(total, b->bytes, b->begin, b->end);
  uint32_t first, end;
  if (gpm_used_certainly(u, b, &first, &end)) add(total, b->bytes, first, end);
}

static uint64_t peak_of(const int64_t *total, uint32_t positions) {
  int64_t highest = 0, now = 0;
  for (uint32_t i = 0; i < positions; i++) {
    now += total[i];
    if (now > highest) highest = now;
  }
  return (uint64_t)highest;
}

uint64_t gpm_bounds_not_decided(const struct gpm_uses *u, uint32_t device) {
  uint32_t positions = u->device[device].positions;
  int64_t *needed = gpm_memory_array((size_t)positions + 1, sizeof *needed),
          *certain = gpm_memory_array((size_t)positions + 1, sizeof *certain);
  for (size_t i = 0; i < u->count; i++) {
    const struct gpm_use_block *b = &u->block[i];
    if (b->device != device) continue;
    add_needed(needed, u, b);
    add_certain(certain, u, b);
  }
  uint64_t most = peak_of(needed, positions), least = peak_of(certain, positions);
  free(needed);
  free(certain);
  return most > least ? most - least : 0;
}
