/* walk.c - see walk.h. */
#include "events/walk.h"

#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>

struct gpm_walk {
  struct gpm_history *history;
  bool stops;
  uint64_t clock; /* tick of the latest event that has one of its own */
  struct gpm_blocks blocks;
  char error[512];
};

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
  *w = (struct gpm_walk){.blocks = gpm_blocks_of(reader, profile)};
  w->history = gpm_history_open(reader, w->error, sizeof w->error);
  if (w->history) return w;
  gpm_host_say(reader->host, "%s", w->error);
  free(w);
  return NULL;
}

bool gpm_walk_close(struct gpm_walk *w) {
  bool ok = !w->error[0];
  if (!ok) gpm_host_say(w->blocks.reader->host, "%s", w->error);
  gpm_history_close(w->history);
  gpm_blocks_free(&w->blocks);
  free(w);
  return ok;
}

const struct gpm_walk_block *gpm_walk_block(const struct gpm_walk *w, size_t number) {
  return number < w->blocks.count ? &w->blocks.block[number] : NULL;
}

void gpm_walk_stop_at_gap(struct gpm_walk *w) {
  w->stops = true;
}

static bool is_behind_gap(struct gpm_walk *w, const struct gpm_event *e) {
  if (!gpm_event_has_tick(e)) return false;
  bool gap = e->clock != w->clock + 1;
  w->clock = e->clock;
  return gap;
}

bool gpm_walk_next(struct gpm_walk *w, struct gpm_step *s) {
  while (gpm_history_next(w->history, &s->event, w->error, sizeof w->error)) {
    if (is_behind_gap(w, &s->event) && w->stops) return false;
    s->time_ns = gpm_reader_time_ns(w->blocks.reader, s->event.ticks);
    if (gpm_blocks_step(&w->blocks, s)) return true;
  }
  return false;
}

bool gpm_walk_tell(struct gpm_reader *r, const struct gpm_listener *listener, size_t count) {
  char error[512];
  bool ok = gpm_listeners_tell(r, listener, count, error, sizeof error);
  if (!ok) gpm_host_say(r->host, "%s", error);
  return ok;
}
