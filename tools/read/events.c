/* events.c - the events of a capture, one by one and to any number of listeners. See handle.h.
 *
 * If the settings of a capture split its cells (a window, sizes), events are read from the same
 * file opened without splitting, and what the settings leave out is left out here.
 */
#include "read/handle.h"

#include "events/walk.h"

struct gpumemprof_read_events {
  struct gpumemprof_read *reader;
  struct gpm_read_capture *capture;
  struct gpm_walk *walk;
  struct gpm_window window;
  struct gpumemprof_read_event event;
};

/* ---- reading -----------------------------------------------------------------------------------
 */

/* Finds the capture whose events are read: the capture itself, or the same file opened without
 * splitting. */
static int whole_capture(struct gpumemprof_read *r, uint32_t number,
                         struct gpm_read_capture **capture) {
  struct gpm_read_capture *c = gpm_read_capture(r, number);
  if (!c) return GPUMEMPROF_READ_ARGUMENT;
  if (c->reader->apart)
    return gpm_read_capture_open_whole(r, c->reader->path, &c->settings, capture);
  c->uses++;
  *capture = c;
  return GPUMEMPROF_READ_OK;
}

static int begin(struct gpumemprof_read *r, uint32_t number, struct gpumemprof_read_events *e) {
  *e = (struct gpumemprof_read_events){.reader = r};
  int status = whole_capture(r, number, &e->capture);
  if (status) return status;
  struct gpm_reader *reader = e->capture->reader;
  e->window.from.given = e->capture->settings.from;
  e->window.to.given = e->capture->settings.to;
  if (!reader->event_chunks)
    status = gpm_read_fail(r, GPUMEMPROF_READ_LACKS,
                           "%s has no events: record it with GPUMEMPROF_OPTIONS=history=all",
                           reader->path);
  else if (!gpm_window_find(&e->window, reader)) status = GPUMEMPROF_READ_ARGUMENT;
  else if (!(e->walk = gpm_walk_open(reader, e->capture->profile)))
    status = GPUMEMPROF_READ_CAPTURE;
  if (status) gpm_read_capture_drop(r, e->capture);
  else if (gpm_walk_is_whole(reader)) gpm_walk_stop_at_gap(e->walk);
  return status;
}

static int end(struct gpumemprof_read_events *e) {
  bool good = gpm_walk_close(e->walk);
  gpm_read_capture_drop(e->reader, e->capture);
  return good ? GPUMEMPROF_READ_OK : GPUMEMPROF_READ_CAPTURE;
}

static bool is_wanted(const struct gpumemprof_read_events *e, const struct gpm_step *s) {
  const struct gpm_patterns *patterns = &e->capture->patterns;
  if (gpm_window_is_before(&e->window, s->event.clock, s->time_ns)) return false;
  return !s->block || !gpm_patterns_have_sizes(patterns) ||
         gpm_patterns_take(patterns, s->block->bytes);
}

static void fill(struct gpumemprof_read_event *to, const struct gpm_reader *r,
                 const struct gpm_step *s) {
  const struct gpm_walk_block *b = s->block;
  *to = (struct gpumemprof_read_event){.size = sizeof *to,
                                       .what = (uint32_t)s->event.kind,
                                       .thread = s->event.thread,
                                       .node = s->node,
                                       .clock = s->event.clock,
                                       .time_ns = s->time_ns,
                                       .bytes = b ? b->bytes : s->event.bytes,
                                       .address = b ? gpm_walk_address(b->address) : 0,
                                       .kind = b ? s->kind : UINT32_MAX,
                                       .device = b ? b->device : UINT32_MAX,
                                       .allocated_clock = b ? b->clock : 0,
                                       .allocated_node = UINT32_MAX,
                                       .out_of_memory = s->event.out_of_memory};
  if (!b) return;
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&r->cells, b->cell);
  to->allocated_node = c->node;
}

/* Reads the next event that the settings include; false after the last. */
static bool next(struct gpumemprof_read_events *e) {
  struct gpm_step s;
  while (gpm_walk_next(e->walk, &s)) {
    if (gpm_window_is_behind(&e->window, s.event.clock, s.time_ns)) return false;
    if (!is_wanted(e, &s)) continue;
    fill(&e->event, e->capture->reader, &s);
    return true;
  }
  return false;
}

/* ---- listeners ---------------------------------------------------------------------------------
 */

struct walk {
  struct gpumemprof_read *reader;
  uint32_t capture, count;
  const struct gpumemprof_read_listener *listeners;
};

/* Listeners are larger in a program that was compiled with a newer interface. */
static const struct gpumemprof_read_listener *listener_at(const struct walk *w, uint32_t i) {
  const char *first = (const char *)w->listeners;
  return (const void *)(first + (size_t)i * w->listeners[0].size);
}

static bool tell(const struct walk *w, const struct gpumemprof_read_event *event) {
  for (uint32_t i = 0; i < w->count; i++) {
    const struct gpumemprof_read_listener *l = listener_at(w, i);
    if (l->event && l->event(l->data, event)) return false;
  }
  return true;
}

static int walk(void *arguments) {
  const struct walk *w = arguments;
  struct gpumemprof_read *r = w->reader;
  if (w->count && w->listeners[0].size < sizeof *w->listeners)
    return gpm_read_fail(r, GPUMEMPROF_READ_ARGUMENT,
                         "the size of the first listener is not set to sizeof");
  struct gpumemprof_read_events e;
  int status = begin(r, w->capture, &e);
  if (status) return status;
  gpm_host_doing(&r->host, "reading the events");
  while (next(&e) && !status && !r->failed)
    if (!tell(w, &e.event)) status = GPUMEMPROF_READ_STOPPED;
  int ended = end(&e);
  if (status == GPUMEMPROF_READ_STOPPED)
    return gpm_read_fail(r, GPUMEMPROF_READ_STOPPED, "a listener ended the walk");
  return ended;
}

int gpumemprof_read_walk(struct gpumemprof_read *r, uint32_t capture,
                         const struct gpumemprof_read_listener *listeners, uint32_t count) {
  return gpm_read_call(r, walk, &(struct walk){r, capture, count, listeners});
}

/* ---- one by one --------------------------------------------------------------------------------
 */

struct opening {
  struct gpumemprof_read *reader;
  uint32_t capture;
  struct gpumemprof_read_events *events;
};

static int open_events(void *arguments) {
  struct opening *o = arguments;
  o->events = gpm_memory_array(1, sizeof *o->events);
  int status = begin(o->reader, o->capture, o->events);
  if (status) free(o->events);
  return status;
}

struct gpumemprof_read_events *gpumemprof_read_events(struct gpumemprof_read *r, uint32_t capture) {
  struct opening o = {.reader = r, .capture = capture};
  return gpm_read_call(r, open_events, &o) ? NULL : o.events;
}

static int next_event(void *arguments) {
  struct gpumemprof_read_events *e = arguments;
  if (e->walk && next(e)) return GPUMEMPROF_READ_OK;
  bool good = !e->walk || gpm_walk_close(e->walk);
  e->walk = NULL;
  return good ? GPUMEMPROF_READ_END : GPUMEMPROF_READ_CAPTURE;
}

int gpumemprof_read_next(struct gpumemprof_read_events *e,
                         const struct gpumemprof_read_event **event) {
  int status = gpm_read_call(e->reader, next_event, e);
  *event = status ? NULL : &e->event;
  return status;
}

static int free_events(void *arguments) {
  struct gpumemprof_read_events *e = arguments;
  if (e->walk) gpm_walk_close(e->walk);
  gpm_read_capture_drop(e->reader, e->capture);
  free(e);
  return GPUMEMPROF_READ_OK;
}

void gpumemprof_read_events_free(struct gpumemprof_read_events *e) {
  if (e) gpm_read_call(e->reader, free_events, e);
}
