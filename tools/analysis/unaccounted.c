/* unaccounted.c - see unaccounted.h. Printed by unaccounted_print.c.
 *
 * The capture has one record for each call path and device. Here the records with the same line and
 * callee are added up.
 */
#include "analysis/unaccounted.h"

#include "support/map.h"
#include "support/memory.h"

#include <stdlib.h>

static uint64_t size_of(int64_t bytes) {
  return bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;
}

static int by_size(const void *a, const void *b) {
  const struct gpm_unaccounted *x = a, *y = b;
  uint64_t of_x = size_of(x->bytes), of_y = size_of(y->bytes);
  if (of_x != of_y) return of_x > of_y ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

struct gpm_unaccounted *gpm_unaccounted_find(const struct gpm_profile *p, size_t *count) {
  const struct gpm_reader *r = p->reader;
  struct gpm_unaccounted *changes = gpm_memory_array(r->unaccounted.count, sizeof *changes);
  struct gpm_map by_location = {0};
  struct gpm_cursor at = {.records = &r->unaccounted};
  *count = 0;
  for (const struct gpumemprof_capture_unaccounted *u; (u = gpm_cursor_next(&at));) {
    uint64_t location = (uint64_t)p->site[u->node] << 16 | u->device;
    uint64_t i = *gpm_map_at(&by_location, location, *count);
    if (i == *count)
      changes[(*count)++] = (struct gpm_unaccounted){.node = u->node, .device = u->device};
    struct gpm_unaccounted *c = &changes[i];
    c->calls += u->calls;
    c->bytes = (int64_t)((uint64_t)c->bytes + (uint64_t)u->bytes);
    if (size_of(u->largest) > size_of(c->largest)) c->largest = u->largest;
  }
  gpm_map_free(&by_location);
  if (*count) qsort(changes, *count, sizeof *changes, by_size);
  return changes;
}
