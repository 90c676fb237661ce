/* latest.c - see latest.h. */
#include "over_time/latest.h"

#include "support/memory.h"

#include <stdlib.h>

void gpm_latest_begin(struct gpm_latest *l, uint32_t most) {
  *l = (struct gpm_latest){.most = most};
  l->kept.event = gpm_memory_array(most, sizeof *l->kept.event);
  l->since.event = gpm_memory_array(most, sizeof *l->since.event);
}

void gpm_latest_free(struct gpm_latest *l) {
  free(l->kept.event);
  free(l->since.event);
}

static void push(const struct gpm_latest *l, struct gpm_latest_ring *r, const struct gpm_event *e) {
  if (l->most) r->event[r->count++ % l->most] = *e;
}

/* Returns how many of the allocations are still in the ring. */
static uint64_t count_of(const struct gpm_latest *l, const struct gpm_latest_ring *r) {
  return r->count < l->most ? r->count : l->most;
}

static const struct gpm_event *at(const struct gpm_latest *l, const struct gpm_latest_ring *r,
                                  uint64_t i) {
  uint64_t has = count_of(l, r);
  return i < has ? &r->event[(r->count - has + i) % l->most] : NULL;
}

void gpm_latest_add(struct gpm_latest *l, const struct gpm_event *e) {
  push(l, &l->since, e);
}

void gpm_latest_mark(struct gpm_latest *l) {
  const struct gpm_event *e;
  for (uint64_t i = 0; (e = at(l, &l->since, i)); i++) push(l, &l->kept, e);
  l->since.count = 0;
}

const struct gpm_event *gpm_latest_at(const struct gpm_latest *l, uint64_t i) {
  return at(l, &l->kept, i);
}
