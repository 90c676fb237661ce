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

/* The state of a listener. */
struct receiver {
  const struct gpm_listener *listener;
  struct view *view; /* null: it listens to bare events only */
  bool ended;
};

struct gpm_delivery {
  const struct gpm_reader *reader;
  struct gpm_history *history;
  struct receiver *receivers;
  size_t count, left; /* left: those that want more events */
  bool bare;          /* one of them receives bare events */
  struct view *view;
  size_t view_count;
  uint64_t clock; /* of the latest event */
};

/* ---- listeners and their profiles --------------------------------------------------------------
 */

static struct view *view_of(struct gpm_delivery *d, const struct gpm_profile *profile) {
  bool all = profile && profile->all_cells_shown && !profile->pieces_left_out;
  const struct gpm_profile *shown = all ? NULL : profile;
  for (size_t i = 0; i < d->view_count; i++)
    if (d->view[i].blocks.profile == shown) return &d->view[i];
  d->view[d->view_count] = (struct view){.blocks = gpm_blocks_of(d->reader, shown)};
  return &d->view[d->view_count++];
}

static void add(struct gpm_delivery *d, const struct gpm_listener *l) {
  struct receiver *h = &d->receivers[d->count++];
  *h = (struct receiver){.listener = l};
  d->bare |= l->event != NULL;
  if (!l->step && !l->life && !l->blocks) return;
  h->view = view_of(d, l->profile);
  if (l->life && !h->view->lifetimes)
    h->view->lifetimes = gpm_block_lifetimes_new(&h->view->blocks);
}

struct gpm_delivery *gpm_listeners_begin(struct gpm_reader *r, const struct gpm_listener *listener,
                                         size_t count, char *error, size_t error_size) {
  error[0] = 0;
  struct gpm_history *history = gpm_history_open(r, error, error_size);
  if (!history) return NULL;
  struct gpm_delivery *d = gpm_memory_array(1, sizeof *d);
  *d = (struct gpm_delivery){.reader = r,
                             .history = history,
                             .receivers = gpm_memory_array(count, sizeof *d->receivers),
                             .view = gpm_memory_array(count, sizeof *d->view)};
  for (size_t i = 0; i < count; i++) add(d, &listener[i]);
  d->left = d->count;
  for (size_t i = 0; i < count; i++)
    if (listener[i].begin) listener[i].begin(listener[i].self);
  return d;
}

/* ---- events ------------------------------------------------------------------------------------
 */

static void end(struct gpm_delivery *d, struct receiver *h) {
  const struct gpm_listener *l = h->listener;
  if (h->ended) return;
  h->ended = true;
  d->left--;
  if (l->life) gpm_block_lifetimes_rest(h->view->lifetimes, l);
  if (l->blocks) l->blocks(l->self, &h->view->blocks);
  if (l->end) l->end(l->self, d->clock);
}

static bool is_gap(struct gpm_delivery *d, const struct gpm_event *e) {
  return gpm_event_has_tick(e) && e->clock != d->clock + 1;
}

static void stop_at_gap(struct gpm_delivery *d) {
  for (size_t i = 0; i < d->count; i++)
    if (d->receivers[i].listener->stops) end(d, &d->receivers[i]);
}

static void deliver_to_view(struct gpm_delivery *d, struct view *v, struct gpm_step *s) {
  if (!gpm_blocks_step(&v->blocks, s)) return;
  const struct gpm_lifetime *lifetime =
      v->lifetimes ? gpm_block_lifetimes_step(v->lifetimes, s) : NULL;
  for (size_t i = 0; i < d->count; i++) {
    struct receiver *r = &d->receivers[i];
    const struct gpm_listener *l = r->listener;
    if (r->view != v || r->ended) continue;
    if (lifetime && l->life) l->life(l->self, lifetime);
    if (l->step && !l->step(l->self, s)) end(d, r);
  }
}

static void deliver_to_views(struct gpm_delivery *d, const struct gpm_event *e) {
  struct gpm_step s;
  s.event = *e;
  s.time_ns = gpm_reader_time_ns(d->reader, e->ticks);
  for (size_t i = 0; i < d->view_count; i++) deliver_to_view(d, &d->view[i], &s);
}

static void deliver_use(struct gpm_delivery *d, const struct gpm_event *e) {
  for (size_t i = 0; i < d->count; i++) {
    const struct gpm_listener *l = d->receivers[i].listener;
    if (l->used && !d->receivers[i].ended && !l->used(l->self, e)) end(d, &d->receivers[i]);
  }
}

static void deliver(struct gpm_delivery *d, const struct gpm_event *e) {
  if (e->kind == GPM_EVENT_USED) return deliver_use(d, e);
  if (is_gap(d, e)) stop_at_gap(d);
  if (gpm_event_has_tick(e)) d->clock = e->clock;
  if (d->view_count) deliver_to_views(d, e);
  for (size_t i = 0; d->bare && i < d->count; i++) {
    const struct gpm_listener *l = d->receivers[i].listener;
    if (l->event && !d->receivers[i].ended && !l->event(l->self, e)) end(d, &d->receivers[i]);
  }
}

bool gpm_listeners_next(struct gpm_delivery *d, char *error, size_t error_size) {
  error[0] = 0;
  const struct gpm_event *e = d->left ? gpm_history_next(d->history, error, error_size) : NULL;
  if (e) deliver(d, e);
  return e != NULL;
}

void gpm_listeners_end(struct gpm_delivery *d) {
  for (size_t i = 0; i < d->count; i++) end(d, &d->receivers[i]);
  for (size_t i = 0; i < d->view_count; i++) {
    gpm_block_lifetimes_free(d->view[i].lifetimes);
    gpm_blocks_free(&d->view[i].blocks);
  }
  gpm_history_close(d->history);
  free(d->receivers);
  free(d->view);
  free(d);
}

/* ---- a whole walk ------------------------------------------------------------------------------
 */

static bool deliver_step(const struct gpm_delivery *d, const struct gpm_listener *l,
                         const struct gpm_event *e) {
  struct gpm_step s;
  s.event = *e;
  s.time_ns = gpm_reader_time_ns(d->reader, e->ticks);
  return !gpm_blocks_step(&d->view->blocks, &s) || !l->step || l->step(l->self, &s);
}

/* Does what `deliver` does, for the only listener, which receives no lifetimes. It is a loop of its
 * own because what `deliver` looks up for each event is a tenth of what some listeners do with one.
 */
static void deliver_to_one(struct gpm_delivery *d, char *error, size_t error_size) {
  const struct gpm_listener l = *d->receivers[0].listener;
  const struct gpm_event *e;
  while ((e = gpm_history_next(d->history, error, error_size))) {
    if (e->kind == GPM_EVENT_USED) {
      if (l.used && !l.used(l.self, e)) return;
      continue;
    }
    if (l.stops && is_gap(d, e)) return;
    if (gpm_event_has_tick(e)) d->clock = e->clock;
    if (d->view_count && !deliver_step(d, &l, e)) return;
    if (l.event && !l.event(l.self, e)) return;
  }
}

bool gpm_listeners_read(struct gpm_reader *r, const struct gpm_listener *listener, size_t count,
                        char *error, size_t error_size) {
  struct gpm_delivery *d = gpm_listeners_begin(r, listener, count, error, error_size);
  if (!d) return false;
  if (count == 1 && !listener->life) deliver_to_one(d, error, error_size);
  else
    while (gpm_listeners_next(d, error, error_size));
  gpm_listeners_end(d);
  return !error[0];
}
