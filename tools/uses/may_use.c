/* may_use.c - which operations may use a block that they were not given (uses.h). */
#include "uses/uses.h"

/* How many of the operations are before a position. */
static size_t count_before(const struct gpm_use_open *o, uint32_t position) {
  size_t low = 0, high = o->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (o->at[middle] < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

/* Returns the position from which on operations that are open in that way may use the block; NONE:
 * never. */
static uint32_t open_from(const struct gpm_use_block *b, enum gpm_use_openness to) {
  return to == GPM_OPEN_TO_KEPT ? b->kept : to == GPM_OPEN_TO_EXPOSED ? b->exposed : 0;
}

uint32_t gpm_uses_first_maybe(const struct gpm_uses *u, const struct gpm_use_block *b,
                              uint32_t from, uint32_t to, uint32_t *record) {
  uint32_t found = GPUMEMPROF_NONE;
  if (b->shared != GPUMEMPROF_NONE && larger(from, b->shared) < to) {
    found = larger(from, b->shared);
    *record = b->shared_by;
  }
  for (unsigned i = 0; i < GPM_OPENNESSES; i++) {
    const struct gpm_use_open *open = &u->device[b->device].open[i];
    uint32_t since = open_from(b, (enum gpm_use_openness)i);
    if (since == GPUMEMPROF_NONE) continue;
    size_t k = count_before(open, larger(from, since));
    if (k == open->count || open->at[k] >= to || open->at[k] >= found) continue;
    found = open->at[k];
    *record = open->record[k];
  }
  return found;
}

uint32_t gpm_uses_last_maybe(const struct gpm_uses *u, const struct gpm_use_block *b, uint32_t from,
                             uint32_t to, uint32_t *record) {
  uint32_t found = GPUMEMPROF_NONE;
  if (b->shared != GPUMEMPROF_NONE && larger(from, b->shared) < to) {
    *record = b->shared_by;
    return to - 1;
  }
  for (unsigned i = 0; i < GPM_OPENNESSES; i++) {
    const struct gpm_use_open *open = &u->device[b->device].open[i];
    uint32_t since = open_from(b, (enum gpm_use_openness)i);
    size_t k = since == GPUMEMPROF_NONE ? 0 : count_before(open, to);
    if (!k || open->at[k - 1] < larger(from, since)) continue;
    if (found != GPUMEMPROF_NONE && open->at[k - 1] <= found) continue;
    found = open->at[k - 1];
    *record = open->record[k - 1];
  }
  return found;
}

uint32_t gpm_uses_first_by_stored_address(const struct gpm_uses *u, const struct gpm_use_block *b,
                                          uint32_t from, uint32_t *record) {
  if (b->exposed < from) return gpm_uses_first_maybe(u, b, from, b->end, record);
  const struct gpm_use_open *open = &u->device[b->device].open[GPM_OPEN_TO_STORED];
  size_t k = count_before(open, from);
  if (k == open->count || open->at[k] >= b->end) return GPUMEMPROF_NONE;
  *record = open->record[k];
  return open->at[k];
}
