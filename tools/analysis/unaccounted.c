/* unaccounted.c - see unaccounted.h. Printed by summary.c and json.c.
 *
 * The capture has one record for each call path and device; here those of one line and callee are
 * added up.
 */
#include "analysis/unaccounted.h"

#include "output/json.h"
#include "rows/places.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>

struct change {
  uint32_t node; /* one of the line's */
  uint32_t device;
  uint64_t calls;
  int64_t bytes, largest;
};

static uint64_t size_of(int64_t bytes) {
  return bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;
}

static int by_size(const void *a, const void *b) {
  const struct change *x = a, *y = b;
  uint64_t of_x = size_of(x->bytes), of_y = size_of(y->bytes);
  if (of_x != of_y) return of_x > of_y ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

/* To be freed; the largest first. */
static struct change *collect(const struct gpm_profile *p, size_t *count) {
  const struct gpm_reader *r = p->reader;
  struct change *changes = gpm_memory_array(r->unaccounted.count, sizeof *changes);
  struct gpm_map by_place = {0};
  struct gpm_cursor at = {.records = &r->unaccounted};
  *count = 0;
  for (const struct gpumemprof_capture_unaccounted *u; (u = gpm_cursor_next(&at));) {
    uint64_t place = (uint64_t)p->site[u->node] << 16 | u->device;
    uint64_t i = *gpm_map_at(&by_place, place, *count);
    if (i == *count) changes[(*count)++] = (struct change){.node = u->node, .device = u->device};
    struct change *c = &changes[i];
    c->calls += u->calls;
    c->bytes = (int64_t)((uint64_t)c->bytes + (uint64_t)u->bytes);
    if (size_of(u->largest) > size_of(c->largest)) c->largest = u->largest;
  }
  gpm_map_free(&by_place);
  if (*count) qsort(changes, *count, sizeof *changes, by_size);
  return changes;
}

static char *callee_of(const struct gpm_profile *p, uint32_t node) {
  uint32_t site = p->site[node];
  return site == GPUMEMPROF_NONE
             ? gpm_memory_text("")
             : gpm_places_text(p->reader, gpm_reader_site(p->reader, site)->callee);
}

void gpm_unaccounted_print(const struct gpm_profile *p, unsigned style) {
  enum { MOST = 20 };
  size_t count;
  struct change *changes = collect(p, &count);
  for (size_t i = 0; i < count && i < MOST; i++) {
    const struct change *c = &changes[i];
    char bytes[GPM_TEXT_NUMBER], largest[GPM_TEXT_NUMBER];
    char *where = gpm_places_node(p, c->node), *callee = callee_of(p, c->node),
         *device = gpm_places_device(p->reader, c->device);
    printf("unaccounted: %s via %s at %s", gpm_text_bytes(bytes, c->bytes, style | GPM_TEXT_SIGN),
           *callee ? callee : "a library", where);
    if (p->reader->device_count > 2) printf(" on %s", device); /* host and one more: no choice */
    if (c->calls > 1)
      printf(" (%llu calls, the largest %s)", (unsigned long long)c->calls,
             gpm_text_bytes(largest, c->largest, style | GPM_TEXT_SIGN));
    putchar('\n');
    free(where);
    free(callee);
    free(device);
  }
  if (count > MOST)
    printf("unaccounted: and %zu more place%s (--format json lists all)\n", count - MOST,
           gpm_text_s(count - MOST));
  free(changes);
}

json_t *gpm_unaccounted_json(const struct gpm_profile *p) {
  size_t count;
  struct change *changes = collect(p, &count);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    const struct change *c = &changes[i];
    json_t *one = gpm_json_place(p, c->node);
    char *callee = callee_of(p, c->node);
    json_object_set_new(one, "callee", json_string(callee));
    json_object_set_new(one, "device", gpm_json_device_id(p->reader, c->device));
    json_object_set_new(one, "calls", json_integer((json_int_t)c->calls));
    json_object_set_new(one, "bytes", json_integer((json_int_t)c->bytes));
    json_object_set_new(one, "largest", json_integer((json_int_t)c->largest));
    json_array_append_new(list, one);
    free(callee);
  }
  free(changes);
  return list;
}
