/* block_lifetimes.c - see block_lifetimes.h. The walk knows blocks while they are live. A block
 * that was freed waits here until its free can no longer be taken back. */
#include "events/block_lifetimes.h"

#include "events/walk.h"
#include "support/map.h"
#include "support/progress.h"

#include <stdlib.h>
#include <string.h>

struct waiting {
  struct gpm_lifetime life;
  bool waits;
};

struct gpm_block_lifetimes {
  const struct gpm_blocks *blocks;
  struct waiting *waiting; /* by the number of the block */
  size_t room;
  uint64_t *allocations; /* by device */
  struct gpm_map latest; /* thread -> number of the block + 1 if its latest event allocated that
                            block, else 0 */
  struct gpm_lifetime lifetime;
};

struct gpm_block_lifetimes *gpm_block_lifetimes_new(const struct gpm_blocks *blocks) {
  struct gpm_block_lifetimes *l = gpm_memory_array(1, sizeof *l);
  l->blocks = blocks;
  l->allocations = gpm_memory_array(blocks->reader->device_count, sizeof *l->allocations);
  return l;
}

void gpm_block_lifetimes_free(struct gpm_block_lifetimes *l) {
  if (!l) return;
  free(l->waiting);
  free(l->allocations);
  gpm_map_free(&l->latest);
  free(l);
}

static struct waiting *waiting_at(struct gpm_block_lifetimes *l, size_t number) {
  if (number >= l->room) {
    size_t room = l->room ? l->room * 2 : 1024;
    while (room <= number) room *= 2;
    l->waiting = gpm_memory_resize(l->waiting, room, sizeof *l->waiting);
    memset(l->waiting + l->room, 0, (room - l->room) * sizeof *l->waiting);
    l->room = room;
  }
  return &l->waiting[number];
}

static struct gpm_lifetime begin(const struct gpm_walk_block *b) {
  return (struct gpm_lifetime){.cell = b->cell,
                               .pair = GPUMEMPROF_NONE,
                               .bytes = b->bytes,
                               .clock = b->clock,
                               .time_ns = b->time_ns,
                               .address = b->address,
                               .padding = b->padding,
                               .generation = b->generation,
                               .thread = b->thread};
}

static void free_block(struct gpm_block_lifetimes *l, const struct gpm_step *s, struct waiting *w,
                       bool next) {
  const struct gpm_walk_block *b = s->block;
  w->waits = true;
  w->life = begin(b);
  w->life.pair = s->event.id;
  w->life.seen = s->node != 0;
  w->life.temporary = w->life.seen && next;
  w->life.age = s->event.clock - b->clock;
  w->life.age_ns = s->time_ns > b->time_ns ? s->time_ns - b->time_ns : 0;
  w->life.before = l->allocations[b->device];
}

const struct gpm_lifetime *gpm_block_lifetimes_step(struct gpm_block_lifetimes *l,
                                                    const struct gpm_step *s) {
  if (!s->block) return NULL;
  size_t number = (size_t)(s->block - l->blocks->block);
  struct waiting *w = waiting_at(l, number);
  uint64_t *latest = gpm_map_at(&l->latest, s->event.thread, 0);
  if (s->event.kind == GPM_EVENT_FREED) {
    free_block(l, s, w, *latest == number + 1);
    *latest = 0;
    return NULL;
  }
  bool over = w->waits && s->event.kind == GPM_EVENT_ALLOCATED;
  w->waits = false;
  if (s->event.kind != GPM_EVENT_ALLOCATED) return NULL;
  if (over) l->lifetime = w->life;
  l->allocations[s->block->device]++;
  *latest = number + 1;
  return over ? &l->lifetime : NULL;
}

void gpm_block_lifetimes_rest(struct gpm_block_lifetimes *l, const struct gpm_listener *to) {
  for (size_t i = 0; i < l->blocks->count; i++) {
    const struct gpm_walk_block *b = &l->blocks->block[i];
    const struct waiting *w = waiting_at(l, i);
    if (w->waits) to->life(to->self, &w->life);
    if (!b->live) continue;
    struct gpm_lifetime life = begin(b);
    life.before = l->allocations[b->device];
    to->life(to->self, &life);
  }
}

bool gpm_block_lifetimes_are_known(const struct gpm_reader *r) {
  return !r->header.resets && gpm_walk_knows_all(r);
}

struct gpm_listener gpm_block_lifetimes_listener(const struct gpm_reader *r,
                                                 void (*life)(void *self,
                                                              const struct gpm_lifetime *life),
                                                 void *self) {
  return (struct gpm_listener){.self = self, .stops = gpm_reader_is_midway(r), .life = life};
}

bool gpm_block_lifetimes_walk(struct gpm_reader *r,
                              void (*life)(void *self, const struct gpm_lifetime *life),
                              void *self) {
  if (!gpm_block_lifetimes_are_known(r)) return false;
  gpm_host_doing(r->host, "reading the events");
  if (r->split) return gpm_block_lifetimes_of_parts(r, life, self);
  struct gpm_listener listener = gpm_block_lifetimes_listener(r, life, self);
  return gpm_walk_read(r, &listener, 1);
}
