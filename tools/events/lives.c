/* lives.c - see lives.h. The walk knows a block while it is live; a block that was freed waits here
 * until nothing can take that back. */
#include "events/lives.h"

#include "events/walk.h"
#include "support/memory.h"
#include "support/progress.h"

#include <stdlib.h>
#include <string.h>

struct waiting {
  struct gpm_life_told life;
  bool waits;
};

struct lives {
  struct gpm_walk *walk;
  struct waiting *block; /* by its number in the walk */
  size_t room;
  uint64_t *allocations; /* by device */
  struct gpm_map latest; /* thread -> the block it allocated, and 1, if that was its latest event */
  void (*tell)(void *data, const struct gpm_life_told *life);
  void *data;
};

static struct waiting *waiting_at(struct lives *l, size_t number) {
  if (number >= l->room) {
    size_t room = l->room ? l->room * 2 : 1024;
    while (room <= number) room *= 2;
    l->block = gpm_memory_resize(l->block, room, sizeof *l->block);
    memset(l->block + l->room, 0, (room - l->room) * sizeof *l->block);
    l->room = room;
  }
  return &l->block[number];
}

static void tell(struct lives *l, struct waiting *w) {
  if (w->waits) l->tell(l->data, &w->life);
  w->waits = false;
}

static struct gpm_life_told begin(const struct gpm_walk_block *b) {
  return (struct gpm_life_told){.cell = b->cell,
                                .pair = GPUMEMPROF_NONE,
                                .bytes = b->bytes,
                                .clock = b->clock,
                                .time_ns = b->time_ns,
                                .address = b->address,
                                .padding = b->padding,
                                .lives = b->lives,
                                .thread = b->thread};
}

static void free_block(struct lives *l, const struct gpm_step *s, struct waiting *w, bool next) {
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

static void hear(struct lives *l, const struct gpm_step *s) {
  if (!s->block) return;
  size_t number = gpm_walk_number(l->walk, s->block);
  struct waiting *w = waiting_at(l, number);
  uint64_t *latest = gpm_map_at(&l->latest, s->event.thread, 0);
  if (s->event.kind == GPM_EVENT_ALLOCATED) {
    tell(l, w);
    l->allocations[s->block->device]++;
    *latest = number + 1;
  } else if (s->event.kind == GPM_EVENT_FREED) {
    free_block(l, s, w, *latest == number + 1);
    *latest = 0;
  } else w->waits = false;
}

static void tell_rest(struct lives *l) {
  const struct gpm_walk_block *b;
  for (size_t i = 0; (b = gpm_walk_block(l->walk, i)); i++) {
    struct waiting *w = waiting_at(l, i);
    tell(l, w);
    if (!b->live) continue;
    w->life = begin(b);
    w->life.before = l->allocations[b->device];
    l->tell(l->data, &w->life);
  }
}

bool gpm_lives_each(struct gpm_reader *r, bool stops,
                    void (*tell_)(void *data, const struct gpm_life_told *life), void *data) {
  struct lives l = {.walk = gpm_walk_open(r, NULL), .tell = tell_, .data = data};
  if (!l.walk) return false;
  if (stops) gpm_walk_stop_at_gap(l.walk);
  l.allocations = gpm_memory_array(r->device_count, sizeof *l.allocations);
  gpm_host_doing(r->host, "reading the events");
  struct gpm_step step;
  while (gpm_walk_next(l.walk, &step)) hear(&l, &step);
  tell_rest(&l);
  free(l.block);
  free(l.allocations);
  gpm_map_free(&l.latest);
  return gpm_walk_close(l.walk);
}

bool gpm_lives_tell(struct gpm_reader *r,
                    void (*tell_)(void *data, const struct gpm_life_told *life), void *data) {
  if (r->header.resets || !gpm_walk_knows_all(r)) return false;
  if (r->apart) return gpm_lives_of_parts(r, tell_, data);
  return gpm_lives_each(r, gpm_reader_is_amid(r), tell_, data);
}
