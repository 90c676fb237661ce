/* listeners.c - see listeners.h. Listeners whose profiles leave out the same share one set of
 * blocks, and those of lifetimes share one computation of lifetimes. */
#include "events/listeners.h"

#include "events/block_lifetimes.h"

#include <stdlib.h>

/* The state that listeners with the same profile share. */
struct view {
  struct gpm_blocks blocks;
  struct gpm_block_lifetimes *lifetimes; /* null: none of them listens to lifetimes */
};

struct hearing { /* the state of a listener */
  const struct gpm_listener *listener;
  struct view *view; /* null: it listens to bare events only */
  bool ended;
};

struct gpm_telling {
  const struct gpm_reader *reader;
  struct gpm_history *history;
  struct hearing *hearing;
  size_t count, left; /* left: those that want more events */
  bool bare;          /* one of them hears bare events */
  struct view *view;
  size_t view_count;
  uint64_t clock; /* of the latest event */
};

/* ---- listeners and their profiles --------------------------------------------------------------
 */

static struct view *view_of(struct gpm_telling *t, const struct gpm_profile *profile) {
  bool all = profile && profile->all_cells_shown && !profile->pieces_left_out;
  const struct gpm_profile *shown = all ? NULL : profile;
  for (size_t i = 0; i < t->view_count; i++)
    if (t->view[i].blocks.profile == shown) return &t->view[i];
  t->view[t->view_count] = (struct view){.blocks = gpm_blocks_of(t->reader, shown)};
  return &t->view[t->view_count++];
}

static void add(struct gpm_telling *t, const struct gpm_listener *l) {
  struct hearing *h = &t->hearing[t->count++];
  *h = (struct hearing){.listener = l};
  t->bare |= l->event != NULL;
  if (!l->step && !l->life && !l->blocks) return;
  h->view = view_of(t, l->profile);
  if (l->life && !h->view->lifetimes)
    h->view->lifetimes = gpm_block_lifetimes_new(&h->view->blocks);
}

struct gpm_telling *gpm_listeners_begin(struct gpm_reader *r, const struct gpm_listener *listener,
                                        size_t count, char *error, size_t error_size) {
  error[0] = 0;
  struct gpm_history *history = gpm_history_open(r, error, error_size);
  if (!history) return NULL;
  struct gpm_telling *t = gpm_memory_array(1, sizeof *t);
  *t = (struct gpm_telling){.reader = r,
                            .history = history,
                            .hearing = gpm_memory_array(count, sizeof *t->hearing),
                            .view = gpm_memory_array(count, sizeof *t->view)};
  for (size_t i = 0; i < count; i++) add(t, &listener[i]);
  t->left = t->count;
  for (size_t i = 0; i < count; i++)
    if (listener[i].begin) listener[i].begin(listener[i].self);
  return t;
}

/* ---- events ------------------------------------------------------------------------------------
 */

static void end(struct gpm_telling *t, struct hearing *h) {
  const struct gpm_listener *l = h->listener;
  if (h->ended) return;
  h->ended = true;
  t->left--;
  if (l->life) gpm_block_lifetimes_rest(h->view->lifetimes, l);
  if (l->blocks) l->blocks(l->self, &h->view->blocks);
  if (l->end) l->end(l->self, t->clock);
}

static bool is_gap(struct gpm_telling *t, const struct gpm_event *e) {
  return gpm_event_has_tick(e) && e->clock != t->clock + 1;
}

static void stop_at_gap(struct gpm_telling *t) {
  for (size_t i = 0; i < t->count; i++)
    if (t->hearing[i].listener->stops) end(t, &t->hearing[i]);
}

static void tell_view(struct gpm_telling *t, struct view *v, struct gpm_step *s) {
  if (!gpm_blocks_step(&v->blocks, s)) return;
  const struct gpm_lifetime *lifetime =
      v->lifetimes ? gpm_block_lifetimes_step(v->lifetimes, s) : NULL;
  for (size_t i = 0; i < t->count; i++) {
    struct hearing *h = &t->hearing[i];
    const struct gpm_listener *l = h->listener;
    if (h->view != v || h->ended) continue;
    if (lifetime && l->life) l->life(l->self, lifetime);
    if (l->step && !l->step(l->self, s)) end(t, h);
  }
}

static void tell_views(struct gpm_telling *t, const struct gpm_event *e) {
  struct gpm_step s;
  s.event = *e;
  s.time_ns = gpm_reader_time_ns(t->reader, e->ticks);
  for (size_t i = 0; i < t->view_count; i++) tell_view(t, &t->view[i], &s);
}

static void tell(struct gpm_telling *t, const struct gpm_event *e) {
  if (is_gap(t, e)) stop_at_gap(t);
  if (gpm_event_has_tick(e)) t->clock = e->clock;
  if (t->view_count) tell_views(t, e);
  for (size_t i = 0; t->bare && i < t->count; i++) {
    const struct gpm_listener *l = t->hearing[i].listener;
    if (l->event && !t->hearing[i].ended && !l->event(l->self, e)) end(t, &t->hearing[i]);
  }
}

bool gpm_listeners_next(struct gpm_telling *t, char *error, size_t error_size) {
  error[0] = 0;
  const struct gpm_event *e = t->left ? gpm_history_next(t->history, error, error_size) : NULL;
  if (e) tell(t, e);
  return e != NULL;
}

void gpm_listeners_end(struct gpm_telling *t) {
  for (size_t i = 0; i < t->count; i++) end(t, &t->hearing[i]);
  for (size_t i = 0; i < t->view_count; i++) {
    gpm_block_lifetimes_free(t->view[i].lifetimes);
    gpm_blocks_free(&t->view[i].blocks);
  }
  gpm_history_close(t->history);
  free(t->hearing);
  free(t->view);
  free(t);
}

/* ---- a whole walk ------------------------------------------------------------------------------
 */

static bool tell_step(const struct gpm_telling *t, const struct gpm_listener *l,
                      const struct gpm_event *e) {
  struct gpm_step s;
  s.event = *e;
  s.time_ns = gpm_reader_time_ns(t->reader, e->ticks);
  return !gpm_blocks_step(&t->view->blocks, &s) || !l->step || l->step(l->self, &s);
}

/* Does what `tell` does, for the only listener, which hears no lifetimes. It is a loop of its own
 * because what `tell` looks up for each event is a tenth of what some listeners do with one. */
static void tell_single(struct gpm_telling *t, char *error, size_t error_size) {
  const struct gpm_listener l = *t->hearing[0].listener;
  const struct gpm_event *e;
  while ((e = gpm_history_next(t->history, error, error_size))) {
    if (l.stops && is_gap(t, e)) return;
    if (gpm_event_has_tick(e)) t->clock = e->clock;
    if (t->view_count && !tell_step(t, &l, e)) return;
    if (l.event && !l.event(l.self, e)) return;
  }
}

bool gpm_listeners_tell(struct gpm_reader *r, const struct gpm_listener *listener, size_t count,
                        char *error, size_t error_size) {
  struct gpm_telling *t = gpm_listeners_begin(r, listener, count, error, error_size);
  if (!t) return false;
  if (count == 1 && !listener->life) tell_single(t, error, error_size);
  else
    while (gpm_listeners_next(t, error, error_size));
  gpm_listeners_end(t);
  return !error[0];
}
