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

struct telling {
  const struct gpm_reader *reader;
  struct hearing *hearing;
  size_t count, left; /* left: those that want more events */
  struct view *view;
  size_t view_count;
  uint64_t clock; /* of the latest event */
};

/* ---- listeners and their profiles --------------------------------------------------------------
 */

static struct view *view_of(struct telling *t, const struct gpm_profile *profile) {
  bool all = profile && profile->all_cells_shown && !profile->pieces_left_out;
  const struct gpm_profile *shown = all ? NULL : profile;
  for (size_t i = 0; i < t->view_count; i++)
    if (t->view[i].blocks.profile == shown) return &t->view[i];
  t->view[t->view_count] = (struct view){.blocks = gpm_blocks_of(t->reader, shown)};
  return &t->view[t->view_count++];
}

static void add(struct telling *t, const struct gpm_listener *l) {
  struct hearing *h = &t->hearing[t->count++];
  *h = (struct hearing){.listener = l};
  if (!l->step && !l->life) return;
  h->view = view_of(t, l->profile);
  if (l->life && !h->view->lifetimes)
    h->view->lifetimes = gpm_block_lifetimes_new(&h->view->blocks);
}

static void begin(struct telling *t, const struct gpm_reader *r, const struct gpm_listener *l,
                  size_t count) {
  *t = (struct telling){.reader = r,
                        .hearing = gpm_memory_array(count, sizeof *t->hearing),
                        .view = gpm_memory_array(count, sizeof *t->view)};
  for (size_t i = 0; i < count; i++) add(t, &l[i]);
  t->left = t->count;
}

/* ---- events ------------------------------------------------------------------------------------
 */

static void end(struct telling *t, struct hearing *h) {
  const struct gpm_listener *l = h->listener;
  if (h->ended) return;
  h->ended = true;
  t->left--;
  if (l->life) gpm_block_lifetimes_rest(h->view->lifetimes, l);
  if (l->end) l->end(l->self, t->clock);
}

static bool is_gap(struct telling *t, const struct gpm_event *e) {
  return gpm_event_has_tick(e) && e->clock != t->clock + 1;
}

static void stop_at_gap(struct telling *t) {
  for (size_t i = 0; i < t->count; i++)
    if (t->hearing[i].listener->stops) end(t, &t->hearing[i]);
}

static void tell_view(struct telling *t, struct view *v, struct gpm_step *s) {
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

static void tell(struct telling *t, struct gpm_step *s) {
  const struct gpm_event *e = &s->event;
  if (is_gap(t, e)) stop_at_gap(t);
  if (gpm_event_has_tick(e)) t->clock = e->clock;
  if (t->view_count) s->time_ns = gpm_reader_time_ns(t->reader, e->ticks);
  for (size_t i = 0; i < t->view_count; i++) tell_view(t, &t->view[i], s);
  for (size_t i = 0; i < t->count; i++) {
    const struct gpm_listener *l = t->hearing[i].listener;
    if (l->event && !t->hearing[i].ended && !l->event(l->self, e)) end(t, &t->hearing[i]);
  }
}

bool gpm_listeners_tell(struct gpm_reader *r, const struct gpm_listener *listener, size_t count,
                        char *error, size_t error_size) {
  error[0] = 0;
  struct gpm_history *history = gpm_history_open(r, error, error_size);
  if (!history) return false;
  struct telling t;
  struct gpm_step step;
  begin(&t, r, listener, count);
  while (t.left && gpm_history_next(history, &step.event, error, error_size)) tell(&t, &step);
  for (size_t i = 0; i < t.count; i++) end(&t, &t.hearing[i]);
  for (size_t i = 0; i < t.view_count; i++) {
    gpm_block_lifetimes_free(t.view[i].lifetimes);
    gpm_blocks_free(&t.view[i].blocks);
  }
  free(t.hearing);
  free(t.view);
  gpm_history_close(history);
  return !error[0];
}
