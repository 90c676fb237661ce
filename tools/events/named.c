/* named.c - see named.h. */
#include "events/named.h"

#include "support/memory.h"

#include <stdlib.h>

static int by_clock(const void *a, const void *b) {
  const struct gpumemprof_capture_named *x = a, *y = b;
  if (x->clock != y->clock) return x->clock < y->clock ? -1 : 1;
  return x->reserved < y->reserved ? -1 : x->reserved > y->reserved;
}

void gpm_named_begin(struct gpm_named *named, const struct gpm_reader *reader) {
  struct gpm_cursor at = {.records = &reader->named};
  named->records = gpm_memory_array(reader->named.count, sizeof *named->records);
  named->count = 0;
  for (const struct gpumemprof_capture_named *n; (n = gpm_cursor_next(&at));) {
    struct gpumemprof_capture_named *mine = &named->records[named->count];
    *mine = *n;
    mine->reserved = (uint32_t)named->count++; /* equal clocks stay in the order of the file */
  }
  if (named->count) qsort(named->records, named->count, sizeof *named->records, by_clock);
}

/* How many records have that clock or an earlier one. */
static size_t records_until(const struct gpm_named *named, uint64_t clock) {
  size_t low = 0, high = named->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (named->records[middle].clock <= clock) low = middle + 1;
    else high = middle;
  }
  return low;
}

uint32_t gpm_named_cell(const struct gpm_named *named, uint64_t clock, uint32_t cell) {
  size_t until = named->count ? records_until(named, clock) : 0;
  const struct gpumemprof_capture_named *latest = until ? &named->records[until - 1] : NULL;
  return latest && latest->clock == clock ? latest->cell : cell;
}

void gpm_named_end(struct gpm_named *named) {
  free(named->records);
}
