/* walk.c - see walk.h. */
#include "events/walk.h"

#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>

struct gpm_walk {
  const struct gpm_reader *reader;
  const struct gpm_profile *profile; /* or null */
  struct gpm_history *history;
  struct gpm_map by_address;
  struct gpm_walk_block *blocks;
  size_t count, room;
  uint64_t next_place;
  bool stops;     /* at a gap ... */
  uint64_t clock; /* ... behind this tick */
  char error[512];
};

/* Beyond what devices address, and exact in the numbers of JavaScript: blocks without an address
 * (arrays, variables, handles) lie there. */
#define FIRST_PLACE ((uint64_t)1 << 50)

bool gpm_walk_is_whole(const struct gpm_reader *r) {
  return !r->header.counters[GPUMEMPROF_COUNTER_events_overwritten] &&
         !gpm_reader_has_part_of_history(r);
}

bool gpm_walk_has_all(const struct gpm_reader *r, const char *what) {
  if (gpm_walk_knows_all(r)) return true;
  char *path = gpm_text_clean(r->path);
  gpm_host_say(r->host,
               "%s has %s, and %s needs all: record it with GPUMEMPROF_OPTIONS=history=all", path,
               r->event_chunks ? "a part of the events" : "no events", what);
  free(path);
  return false;
}

struct gpm_walk *gpm_walk_open(struct gpm_reader *reader, const struct gpm_profile *profile) {
  struct gpm_walk *w = gpm_memory_array(1, sizeof *w);
  *w = (struct gpm_walk){.reader = reader, .profile = profile, .next_place = FIRST_PLACE};
  w->history = gpm_history_open(reader, w->error, sizeof w->error);
  if (w->history) return w;
  gpm_host_say(reader->host, "%s", w->error);
  free(w);
  return NULL;
}

bool gpm_walk_close(struct gpm_walk *w) {
  bool ok = !w->error[0];
  if (!ok) gpm_host_say(w->reader->host, "%s", w->error);
  gpm_history_close(w->history);
  gpm_map_free(&w->by_address);
  free(w->blocks);
  free(w);
  return ok;
}

const struct gpm_walk_block *gpm_walk_block(const struct gpm_walk *w, size_t number) {
  return number < w->count ? &w->blocks[number] : NULL;
}

size_t gpm_walk_number(const struct gpm_walk *w, const struct gpm_walk_block *block) {
  return (size_t)(block - w->blocks);
}

static struct gpm_walk_block *block_at(struct gpm_walk *w, uint64_t address) {
  uint64_t i = *gpm_map_at(&w->by_address, address, w->count);
  if (i == w->count) {
    if (w->count == w->room) {
      w->room = w->room ? w->room * 2 : 1024;
      w->blocks = gpm_memory_resize(w->blocks, w->room, sizeof *w->blocks);
    }
    w->blocks[w->count++] = (struct gpm_walk_block){.address = address};
  }
  return &w->blocks[i];
}

static void find_place(struct gpm_walk *w, struct gpm_walk_block *b, uint32_t kind) {
  if (kind != GPUMEMPROF_KIND_ARRAY && kind != GPUMEMPROF_KIND_VMM &&
      kind != GPUMEMPROF_KIND_STATIC) {
    b->place = b->address;
    return;
  }
  if (b->bytes <= b->room) return;
  b->place = w->next_place;
  b->room = b->bytes;
  w->next_place += (b->bytes + 511) / 512 * 512;
}

static const struct gpm_walk_block *allocated(struct gpm_walk *w, const struct gpm_step *s,
                                              const struct gpumemprof_capture_cell *c) {
  struct gpm_walk_block *b = block_at(w, s->event.address);
  b->bytes = s->event.bytes;
  b->padding = s->event.padding;
  b->clock = s->event.clock;
  b->time_ns = s->time_ns;
  b->cell = s->event.id;
  b->device = c->device;
  b->thread = s->event.thread;
  b->lives++;
  b->live = true;
  find_place(w, b, c->kind);
  return b;
}

/* Null: another block's. */
static const struct gpm_walk_block *changed(struct gpm_walk *w, const struct gpm_step *s,
                                            uint32_t cell) {
  struct gpm_walk_block *b = block_at(w, s->event.address);
  bool back = s->event.kind == GPM_EVENT_TAKEN_BACK;
  if (b->live == back || !b->lives || b->cell != cell) return NULL;
  b->live = back;
  return b;
}

/* Fills what follows from the event; false: it is left out. */
static bool complete(struct gpm_walk *w, struct gpm_step *s) {
  const struct gpm_reader *r = w->reader;
  const struct gpm_event *e = &s->event;
  s->time_ns = gpm_reader_time_ns(r, e->ticks);
  s->block = NULL;
  s->node = s->event.id;
  if (e->kind == GPM_EVENT_SCOPE_ENDED) return true;
  if (e->kind == GPM_EVENT_FAILED) return !w->profile || w->profile->all_cells_shown;
  uint32_t cell = e->id;
  if (e->kind != GPM_EVENT_ALLOCATED) {
    const struct gpumemprof_capture_pair *pair = gpm_reader_record(&r->pairs, e->id);
    cell = pair->cell;
    s->node = pair->free_node;
  }
  if (w->profile && !w->profile->cell_shown[cell]) return false;
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&r->cells, cell);
  s->kind = c->kind;
  if (e->kind == GPM_EVENT_ALLOCATED) s->node = c->node;
  s->block = e->kind == GPM_EVENT_ALLOCATED ? allocated(w, s, c) : changed(w, s, cell);
  return s->block != NULL;
}

void gpm_walk_stop_at_gap(struct gpm_walk *w) {
  w->stops = true;
}

uint64_t gpm_walk_clock(const struct gpm_walk *w) {
  return w->clock;
}

static bool is_gap(struct gpm_walk *w, const struct gpm_event *e) {
  if (e->kind == GPM_EVENT_SCOPE_ENDED || e->kind == GPM_EVENT_FAILED) return false;
  if (w->stops && e->clock != w->clock + 1) return true;
  w->clock = e->clock;
  return false;
}

bool gpm_walk_next(struct gpm_walk *w, struct gpm_step *s) {
  while (gpm_history_next(w->history, &s->event, w->error, sizeof w->error)) {
    if (is_gap(w, &s->event)) return false;
    if (complete(w, s)) return true;
  }
  return false;
}
