/* moment.c - see moment.h. replay.c computes the figures; they are stored in the records here. */
#include "events/moment.h"

#include "events/replay_state.h"
#include "events/walk.h"
#include "model/profile.h"

#include <string.h>

struct settling {
  struct gpm_reader *reader;
  struct gpm_replay *replay;
  uint64_t latest; /* clock of the latest event */
};

static bool on_event(void *self, const struct gpm_event *e) {
  struct settling *s = self;
  /* A scope ended after an event that is missing. */
  if (!gpm_event_has_tick(e) && e->clock > s->latest) return true;
  if (gpm_event_has_tick(e)) s->latest = e->clock;
  gpm_replay_event(s->replay, e);
  return true;
}

/* ---- storing -----------------------------------------------------------------------------------
 */

/* The casts are safe: the reader owns this memory. */
static void store_cell(const struct gpm_replay *p, const struct gpumemprof_capture_cell *of,
                       const struct gpm_replay_cell *mine) {
  struct gpumemprof_capture_cell *c = (struct gpumemprof_capture_cell *)(uintptr_t)of;
  const struct gpm_replay_device *d = &p->devices[mine->device];
  bool kept = mine->seen_peaks == d->peaks;
  c->allocated = mine->allocated;
  c->freed = mine->freed;
  c->padding = mine->padding;
  c->min_size = mine->allocated.blocks ? mine->min_size : UINT64_MAX;
  c->max_size = mine->max_size;
  c->lifetime_clock = mine->lifetime_clock;
  c->temporary_blocks = mine->temporary_blocks;
  c->lifetime_ticks = mine->lifetime_ticks;
  c->timed_blocks = mine->timed_blocks;
  c->at_peak.bytes = kept ? mine->at_peak : mine->live;
  c->at_peak.blocks = kept ? mine->blocks_at_peak : mine->live_blocks;
  c->peak_epoch = d->peaks;
}

static void store_cells(const struct gpm_replay *p, const struct gpm_reader *r) {
  for (uint32_t i = 0; i < r->device_count; i++)
    memset(r->devices[i].live, 0, sizeof r->devices[i].live);
  struct gpm_cursor cells = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    const struct gpm_replay_cell *mine = &p->cells[cells.number];
    struct gpumemprof_capture_amount *live = &r->devices[c->device].live[c->kind];
    store_cell(p, c, mine);
    live->bytes += mine->live;
    live->blocks += mine->live_blocks;
  }
  struct gpm_cursor pairs = {.records = &r->pairs};
  for (const struct gpumemprof_capture_pair *q; (q = gpm_cursor_next(&pairs));)
    ((struct gpumemprof_capture_pair *)(uintptr_t)q)->freed = p->pairs[pairs.number].freed;
}

static void store_lines(const struct gpm_replay *p, const struct gpm_reader *r) {
  struct gpm_cursor lines = {.records = &r->lines};
  for (const struct gpumemprof_capture_line *l; (l = gpm_cursor_next(&lines));) {
    struct gpumemprof_capture_line *line = (struct gpumemprof_capture_line *)(uintptr_t)l;
    line->live = p->lines[lines.number].live;
    line->live_peak = p->lines[lines.number].live_peak;
  }
}

static uint64_t lowest(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* Returns the highest peak of a device. */
static uint64_t store_devices(const struct gpm_replay *p, const struct gpm_reader *r) {
  uint64_t highest = 0;
  for (uint32_t i = 0; i < r->device_count; i++) {
    const struct gpm_replay_device *mine = &p->devices[i];
    struct gpumemprof_capture_device *d = &r->devices[i];
    d->total = mine->total;
    d->peak = mine->peak;
    d->peak_epoch = mine->peaks;
    d->peak_clock = mine->peak_clock;
    d->peak_ticks = mine->peak_ticks;
    d->peak_node = mine->peak_node;
    for (uint64_t k = r->device_maxima[i].begin; k < r->device_maxima[i].end; k++)
      r->maxima[k].total = lowest(r->maxima[k].total, d->peak);
    if (d->peak > highest) highest = d->peak;
  }
  return highest;
}

/* Gives the open scopes of a thread what they moved until this moment. A scope is left out of its
 * parent, as readers fold it in; one that ended since is ended. */
static void store_open(struct gpm_replay *p, const struct gpm_reader *r,
                       const struct gpm_range *range) {
  struct gpm_replay_thread *t = gpm_replay_thread(p, range->owner);
  struct gpumemprof_capture_activation *parent = NULL;
  size_t known = 0;
  for (uint64_t i = range->begin; i < range->end; i++) {
    struct gpumemprof_capture_activation *a = &r->activations[i];
    bool same = known < t->depth && t->open[known].node == a->node;
    a->flags &= ~GPUMEMPROF_ACTIVATION_MOVED;
    a->net = a->peak = 0;
    if (!same) continue;
    const struct gpm_replay_scope *s = &t->open[known++];
    if (s->moved) a->flags |= GPUMEMPROF_ACTIVATION_MOVED;
    a->net = s->net;
    a->peak = s->peak;
    if (parent) parent->net -= s->net;
    parent = a;
  }
  gpm_replay_end_scopes_of(p, t, known);
  t->depth = 0;
}

static void store_scopes(struct gpm_replay *p, const struct gpm_reader *r) {
  for (uint32_t i = 0; i < r->thread_count; i++) store_open(p, r, &r->threads[i]);
  gpm_replay_end_scopes(p);
}

static void store_nodes(struct gpm_replay *p, const struct gpm_reader *r, uint64_t highest) {
  bool scopes = !p->delegated;
  if (scopes) store_scopes(p, r);
  struct gpm_cursor nodes = {.records = &r->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&nodes));) {
    struct gpumemprof_capture_node *node = (struct gpumemprof_capture_node *)(uintptr_t)n;
    const struct gpm_replay_node *mine = &p->nodes[nodes.number];
    node->device_peak = lowest(node->device_peak, highest);
    node->failed_calls = mine->failed_calls;
    node->failed_bytes = mine->failed_bytes;
    node->oom_calls = mine->oom_calls;
    if (!scopes) continue;
    node->active_calls = mine->active_calls;
    node->own_peak_sum = mine->own_peak_sum;
    node->own_peak_max = mine->own_peak_max;
  }
}

/* ---- settling ----------------------------------------------------------------------------------
 */

/* A history that cannot be read, or has no first event yet, leaves the figures as they are: what
 * reads events will say so. */
static void settle(struct gpm_reader *r) {
  char error[8192] = "";
  struct gpm_filter all = {.device = GPM_ALL_DEVICES, .kind = GPM_ALL_KINDS};
  struct gpm_profile *profile = gpm_profile_new(r, &all);
  struct settling s = {.reader = r, .replay = gpm_replay_new(profile)};
  struct gpm_listener listener = {.self = &s, .stops = true, .event = on_event};
  gpm_host_doing(r->host, "reading the events");
  if (gpm_listeners_read(r, &listener, 1, error, sizeof error) && s.latest) {
    store_cells(s.replay, r);
    store_lines(s.replay, r);
    store_nodes(s.replay, r, store_devices(s.replay, r));
    r->events_until = s.latest;
    r->is_of_events = true;
  }
  gpm_replay_free(s.replay);
  gpm_profile_free(profile);
}

void gpm_moment_settle(struct gpm_reader *r) {
  if (gpm_reader_state(r) == GPM_STATE_RUNNING && gpm_walk_knows_all(r) && !r->header.resets)
    settle(r);
}

bool gpm_moment_repeat(struct gpm_reader *r, const struct gpm_reader *first) {
  if (!first->is_of_events) return true;
  if (!gpm_walk_knows_all(r) || r->header.resets) return false;
  r->state = first->state;
  r->events_until = first->events_until;
  settle(r);
  return r->events_until == first->events_until;
}
