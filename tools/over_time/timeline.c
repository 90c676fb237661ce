/* timeline.c - see timeline.h. The end of the axis is known for certain only after the last event,
 * but needed at the first. The sums of the capture give it beforehand, unless a filter leaves
 * memory out on an axis of the clock, or a window ends in another unit. Then changes are kept until
 * the end is known, and only where they are more than MOST_KEPT, events are read a second time.
 * Memory is that of the columns and of these, and of the addresses that a program ever used. */
#include "over_time/timeline.h"

#include "analysis/nothing.h"
#include "events/walk.h"
#include "over_time/changes.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/text.h"

#include <stdlib.h>

enum { MOST_KEPT = 1 << 20 }; /* changes, of 24 bytes */

/* ---- the axis ----------------------------------------------------------------------------------
 */

uint64_t gpm_timeline_at(const struct gpm_timeline *t, uint64_t clock, uint64_t ticks) {
  return t->by_clock ? clock : gpm_reader_time_ns(t->profile->reader, ticks);
}

bool gpm_timeline_has(const struct gpm_timeline *t, uint64_t at) {
  return at >= t->start && at - t->start < t->length;
}

uint32_t gpm_timeline_column(const struct gpm_timeline *t, uint64_t at) {
  if (at < t->start) return 0;
  if (!gpm_timeline_has(t, at)) return t->width - 1;
  return (uint32_t)((unsigned __int128)(at - t->start) * t->width / t->length);
}

uint64_t gpm_timeline_begin(const struct gpm_timeline *t, uint32_t column) {
  return t->start + (uint64_t)(((unsigned __int128)column * t->length + t->width - 1) / t->width);
}

/* Where the axis begins and ends: at the ends of the window if these are values on it, otherwise at
 * the first and the last change that is drawn. */
struct axis {
  bool begun;
  uint64_t start, end;
};

static bool is_on_axis(const struct gpm_timeline *t, const struct gpm_moment *m) {
  return m->kind == (t->by_clock ? GPM_MOMENT_CLOCK : GPM_MOMENT_TIME);
}

static void reach(struct axis *a, uint64_t at) {
  if (!a->begun) a->start = at;
  if (!a->begun || at > a->end) a->end = at;
  a->begun = true;
}

static void set_axis(struct gpm_timeline *t, const struct axis *a) {
  const struct gpm_window *w = &t->window;
  const struct gpm_reader *r = t->profile->reader;
  uint64_t run = t->by_clock ? 0 : gpm_reader_time_ns(r, r->header.last_ticks);
  uint64_t end = w->to.kind == GPM_MOMENT_NONE && run > a->end ? run : a->end;
  t->start = w->from.kind == GPM_MOMENT_NONE ? 0 : a->start;
  if (is_on_axis(t, &w->from)) t->start = w->from.value;
  if (is_on_axis(t, &w->to)) end = w->to.value;
  if (end < t->start) end = t->start;
  t->length = end - t->start < UINT64_MAX ? end - t->start + 1 : UINT64_MAX;
}

static bool is_before(const struct gpm_timeline *t, uint64_t clock, uint64_t time_ns) {
  return gpm_window_is_before(&t->window, clock, time_ns);
}

static bool is_behind(const struct gpm_timeline *t, uint64_t clock, uint64_t time_ns) {
  return gpm_window_is_behind(&t->window, clock, time_ns);
}

/* ---- columns -----------------------------------------------------------------------------------
 */

/* Fills the columns up to that one with what was live. */
static void go_on(struct gpm_timeline_device *d, uint32_t column) {
  while (d->at < column)
    d->column[++d->at] = (struct gpm_timeline_column){d->live, d->live, d->live};
}

static void set(const struct gpm_timeline *t, struct gpm_timeline_device *d, uint64_t at,
                uint64_t live) {
  go_on(d, gpm_timeline_column(t, at));
  struct gpm_timeline_column *c = &d->column[d->at];
  d->live = c->last = live;
  if (live < c->min) c->min = live;
  if (live > c->max) c->max = live;
  if (live <= d->max) return;
  d->max = live;
  d->max_at = at;
}

/* Begins the axis with what is live now. */
static void begin(struct gpm_timeline *t) {
  for (uint32_t i = 0; i < t->count; i++) {
    struct gpm_timeline_device *d = &t->device[i];
    d->column[0] = (struct gpm_timeline_column){d->live, d->live, d->live};
    d->max = d->live;
    d->max_at = t->start;
  }
}

static struct gpm_timeline_device *device_of(struct gpm_timeline *t, uint32_t device) {
  for (uint32_t i = 0; i < t->count; i++)
    if (t->device[i].device == device) return &t->device[i];
  return NULL;
}

static void find_devices(struct gpm_timeline *t) {
  const struct gpm_reader *r = t->profile->reader;
  uint8_t *shown = gpm_memory_array(r->device_count, 1);
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    shown[c->device] |= t->profile->cell_shown[at.number];
  t->device = gpm_memory_array(r->device_count, sizeof *t->device);
  for (uint32_t i = 0; i < r->device_count; i++) {
    uint32_t device = r->device_order[i];
    if (!shown[device]) continue;
    t->device[t->count++] = (struct gpm_timeline_device){
        .device = device, .column = gpm_memory_array(t->width, sizeof *t->device->column)};
  }
  free(shown);
}

/* ---- events ------------------------------------------------------------------------------------
 */

/* Returns the moment of an event, no earlier than that of the change before it: time stamps of
 * several threads are not exactly in the order of the clock. A failure or the end of a scope
 * changes nothing and may be stamped long after the clock was read, so it does not move what
 * follows. */
static uint64_t moment(const struct gpm_timeline *t, const struct gpm_step *s, uint64_t latest) {
  uint64_t at = t->by_clock ? s->event.clock : s->time_ns;
  return at > latest ? at : latest;
}

struct filling {
  struct gpm_timeline *t;
  bool knows_axis; /* the axis is set; otherwise it is estimated */
  struct axis axis;
  uint64_t latest;
  bool before;                /* the window has not begun */
  uint64_t *first;            /* bytes that each device held when the window began */
  struct gpm_changes changes; /* in the window, where its axis may be estimated wrongly */
};

/* Returns the last tick of the clock, if the program ended by itself. With a filter, the axis may
 * end before it. */
static uint64_t clock_by_sums(const struct gpm_reader *r) {
  uint64_t clock = 0;
  struct gpm_cursor at = {.records = &r->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));)
    clock += c->allocated.blocks + c->freed.blocks;
  return clock;
}

/* at: the first value in the window. */
static void begin_at(struct filling *f, uint64_t at) {
  struct gpm_timeline *t = f->t;
  uint64_t end = t->by_clock ? clock_by_sums(t->profile->reader) : 0;
  struct axis guess = {.begun = true, .start = at, .end = end > at ? end : at};
  if (!f->knows_axis) set_axis(t, &guess);
  for (uint32_t i = 0; i < t->count; i++) f->first[i] = t->device[i].live;
  begin(t);
  f->before = false;
}

static void change(struct filling *f, const struct gpm_step *s, uint64_t at) {
  struct gpm_timeline_device *d = s->block ? device_of(f->t, s->block->device) : NULL;
  if (!d) return;
  bool freed = s->event.kind == GPM_EVENT_FREED;
  uint64_t live = freed ? d->live - s->block->bytes : d->live + s->block->bytes;
  if (f->before) {
    d->live = live;
    return;
  }
  set(f->t, d, at, live);
  gpm_changes_add(&f->changes, (struct gpm_change){at, live, (uint32_t)(d - f->t->device)});
}

static bool add_step(void *self, const struct gpm_step *s) {
  struct filling *f = self;
  uint64_t at = moment(f->t, s, f->latest);
  if (s->block) f->latest = at;
  if (is_behind(f->t, s->event.clock, s->time_ns)) return false;
  if (!is_before(f->t, s->event.clock, s->time_ns)) {
    reach(&f->axis, at);
    if (f->before) begin_at(f, at);
  }
  change(f, s, at);
  return true;
}

static void forget(struct gpm_timeline *t) {
  for (uint32_t i = 0; i < t->count; i++) {
    struct gpm_timeline_device *d = &t->device[i];
    *d = (struct gpm_timeline_device){.device = d->device, .column = d->column};
  }
}

/* Whether the sums of the capture give the end of the axis. */
static bool is_axis_certain(const struct gpm_timeline *t) {
  const struct gpm_moment *to = &t->window.to;
  if (t->profile->reader->state != GPM_STATE_COMPLETE) return false;
  if (to->kind != GPM_MOMENT_NONE) return is_on_axis(t, to);
  return !t->by_clock || t->profile->all_cells_shown;
}

/* Draws the changes once more, on the axis that is known now. */
static void draw_kept(struct gpm_timeline *t, const struct filling *f) {
  forget(t);
  for (uint32_t i = 0; i < t->count; i++) t->device[i].live = f->first[i];
  begin(t);
  for (size_t i = 0; i < f->changes.count; i++) {
    const struct gpm_change *c = &f->changes.change[i];
    set(t, &t->device[c->device], c->at, c->live);
  }
}

/* *right: the axis was known, or what was drawn on a wrong one could be drawn once more. If not,
 * the axis is known now. */
static bool read_once(struct gpm_timeline *t, struct gpm_reader *r, bool knows_axis, bool *right) {
  struct filling f = {.t = t,
                      .knows_axis = knows_axis,
                      .before = true,
                      .first = gpm_memory_array(t->count, sizeof *f.first)};
  struct gpm_listener listener = {
      .self = &f, .profile = t->profile, .stops = true, .step = add_step};
  gpm_changes_begin(&f.changes, knows_axis || is_axis_certain(t) ? 0 : MOST_KEPT);
  bool received = gpm_walk_read(r, &listener, 1);
  uint64_t start = t->start, length = t->length;
  if (received) set_axis(t, &f.axis);
  if (received && f.before) begin(t);
  *right = f.before || (t->start == start && t->length == length);
  if (received && !*right && !f.changes.incomplete) {
    draw_kept(t, &f);
    *right = true;
  }
  gpm_changes_free(&f.changes);
  free(f.first);
  return received;
}

static bool read_events(struct gpm_timeline *t, struct gpm_reader *r) {
  bool right;
  if (!read_once(t, r, false, &right)) return false;
  if (right) return true;
  forget(t);
  return read_once(t, r, true, &right);
}

/* ---- samples -----------------------------------------------------------------------------------
 */

/* Sets *at to the peak's value on the axis; returns false if that is not drawn. */
static bool find_peak(const struct gpm_timeline *t, uint32_t device, uint64_t *at) {
  const struct gpumemprof_capture_device *d = &t->profile->reader->devices[device];
  uint64_t time = gpm_reader_time_ns(t->profile->reader, d->peak_ticks);
  *at = t->by_clock ? d->peak_clock : time;
  return d->peak && !is_before(t, d->peak_clock, time) && !is_behind(t, d->peak_clock, time);
}

static void add_peak(const struct gpm_timeline *t, struct gpm_timeline_device *d, uint64_t before) {
  uint64_t at, peak = t->profile->reader->devices[d->device].peak, live = d->live;
  if (!find_peak(t, d->device, &at) || d->max >= peak || at > before) return;
  set(t, d, at, peak);
  set(t, d, at, live); /* what came next is not known */
}

static void find_axis_of_samples(struct gpm_timeline *t) {
  const struct gpm_reader *r = t->profile->reader;
  struct axis axis = {.begun = false};
  struct gpm_cursor at = {.records = &r->samples};
  for (const struct gpumemprof_capture_sample *s; (s = gpm_cursor_next(&at));) {
    uint64_t time = gpm_reader_time_ns(r, s->ticks);
    if (!is_before(t, s->clock, time) && !is_behind(t, s->clock, time))
      reach(&axis, t->by_clock ? s->clock : time);
  }
  for (uint32_t i = 0; i < t->count; i++) {
    uint64_t position;
    if (find_peak(t, t->device[i].device, &position)) reach(&axis, position);
  }
  set_axis(t, &axis);
}

static void read_samples(struct gpm_timeline *t) {
  const struct gpm_reader *r = t->profile->reader;
  find_axis_of_samples(t);
  bool before = true;
  struct gpm_cursor at = {.records = &r->samples};
  for (const struct gpumemprof_capture_sample *s; (s = gpm_cursor_next(&at));) {
    struct gpm_timeline_device *d = s->pool == GPUMEMPROF_NONE ? device_of(t, s->device) : NULL;
    uint64_t time = gpm_reader_time_ns(r, s->ticks), position = t->by_clock ? s->clock : time;
    if (!d || is_behind(t, s->clock, time)) continue;
    if (before && !is_before(t, s->clock, time)) {
      begin(t);
      before = false;
    }
    if (before) {
      d->live = s->ledger;
      continue;
    }
    add_peak(t, d, position);
    set(t, d, position, s->ledger);
    d->samples++;
  }
  if (before) begin(t);
  for (uint32_t i = 0; i < t->count; i++) {
    struct gpm_timeline_device *d = &t->device[i];
    add_peak(t, d, UINT64_MAX);
    if (t->window.to.kind == GPM_MOMENT_NONE)
      set(t, d, t->start + (t->length - 1), r->devices[d->device].total);
  }
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

/* Samples of the monitor cover all kinds of memory together, so they cannot serve for some of them.
 */
uint64_t gpm_timeline_monitor_samples(const struct gpm_reader *r) {
  uint64_t count = 0;
  struct gpm_cursor at = {.records = &r->samples};
  for (const struct gpumemprof_capture_sample *s; (s = gpm_cursor_next(&at));)
    count += s->why == GPUMEMPROF_SAMPLE_MONITOR;
  return count;
}

static bool can_use_samples(const struct gpm_timeline *t, const struct gpm_reader *r) {
  bool any = gpm_timeline_monitor_samples(r) != 0;
  if (any && !t->of_kind && !t->of_pattern) return true;
  char *path = gpm_text_clean(r->path);
  const char *nothing = gpm_nothing_why(t->profile);
  if (nothing) gpm_host_say(r->host, "%s has no timeline: %s", path, nothing);
  else
    gpm_host_say(r->host, "%s has %s%s: record it with GPUMEMPROF_OPTIONS=history=all%s", path,
                 r->event_chunks ? "a part of the events" : "no events",
                 !any            ? " and no samples, so there is no timeline"
                 : t->of_pattern ? ", and samples do not tell whose memory it is"
                                 : ", and samples do not tell kinds of memory",
                 any ? "" : ", or monitor=100ms");
  free(path);
  return false;
}

bool gpm_timeline_make(struct gpm_timeline *t, struct gpm_reader *r) {
  t->by_samples = !gpm_walk_knows_all(r);
  if (t->by_samples && !can_use_samples(t, r)) return false;
  gpm_host_doing(r->host, "reading the events");
  find_devices(t);
  if (t->by_samples) read_samples(t);
  else if (!read_events(t, r)) return false;
  for (uint32_t i = 0; i < t->count; i++) go_on(&t->device[i], t->width - 1);
  return true;
}

void gpm_timeline_free(struct gpm_timeline *t) {
  for (uint32_t i = 0; i < t->count; i++) free(t->device[i].column);
  free(t->device);
}
