/* events.c - the events of a capture, one by one and to any number of listeners. See handle.h.
 *
 * gpumemprof_read_walk is a listener of the walk that serves the analyses (events/listeners.h);
 * gpumemprof_read_next has a listener as well, and goes on with that walk until it has the next
 * event. If the settings of a capture split its cells (a window, sizes), events are read
 * from the same file opened without splitting, and what the settings leave out is left out here.
 *
 * Several readings of one capture may be under way at a time, and an analysis of its events between
 * two steps of one. So a reading has a copy of the capture's gpm_reader: the records are the same,
 * but the open file is its own.
 */
#include "read/handle.h"

#include "events/walk.h"

struct gpumemprof_read_events {
  struct gpumemprof_read *reader;
  struct gpm_read_capture *capture;
  struct gpm_reader own;     /* the capture's, with a file of its own */
  struct gpm_delivery *walk; /* null: it has ended */
  struct gpm_listener listener;
  bool found; /* `event` is the next one that the settings include */
  struct gpm_window window;
  struct gpumemprof_read_event event;
};

/* ---- reading -----------------------------------------------------------------------------------
 */

/* Finds what the events of a capture are read from; the caller drops e->capture. */
static int choose(struct gpumemprof_read *r, uint32_t number, struct gpumemprof_read_events *e) {
  *e = (struct gpumemprof_read_events){.reader = r};
  struct gpm_read_capture *c = gpm_read_capture(r, number);
  int status = c ? gpm_read_capture_whole(r, c, &e->capture) : GPUMEMPROF_READ_ARGUMENT;
  if (status) return status;
  const struct gpm_reader *reader = e->capture->reader;
  status = reader->event_chunks
               ? gpm_read_window(e->capture, &e->window)
               : gpm_read_fail(r, GPUMEMPROF_READ_LACKS,
                               "%s has no events: record it with GPUMEMPROF_OPTIONS=history=all",
                               reader->path);
  if (status) gpm_read_capture_drop(r, e->capture);
  else e->own = *reader;
  return status;
}

/* The checksum of the events, which takes a reading of all of them, is compared only once. */
static void keep_checked(const struct gpumemprof_read_events *e) {
  e->capture->reader->events_checked |= e->own.events_checked;
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

/* ---- listeners ---------------------------------------------------------------------------------
 */

struct walk {
  struct gpumemprof_read *reader;
  uint32_t capture, count;
  const struct gpumemprof_read_listener *listeners;
  struct gpumemprof_read_events events; /* what is read; not one by one */
  bool stopped;                         /* by a listener */
};

/* Listeners are larger in a program that was compiled with a newer interface. */
static const struct gpumemprof_read_listener *listener_at(const struct walk *w, uint32_t i) {
  const char *first = (const char *)w->listeners;
  return (const void *)(first + (size_t)i * w->listeners[0].size);
}

static bool deliver(const struct walk *w, const struct gpumemprof_read_event *event) {
  for (uint32_t i = 0; i < w->count; i++) {
    const struct gpumemprof_read_listener *l = listener_at(w, i);
    if (l->event && l->event(l->data, event)) return false;
  }
  return true;
}

/* The only listener of the tool's walk, so that an event is filled in once for all of them. */
static bool add_step(void *self, const struct gpm_step *s) {
  struct walk *w = self;
  struct gpumemprof_read_events *e = &w->events;
  if (gpm_window_is_behind(&e->window, s->event.clock, s->time_ns)) return false;
  if (!is_wanted(e, s)) return true;
  fill(&e->event, e->capture->reader, s);
  w->stopped = !deliver(w, &e->event);
  return !w->stopped && !w->reader->failed;
}

static int refuse(const struct walk *w) {
  if (w->count && !w->listeners)
    return gpm_read_fail(w->reader, GPUMEMPROF_READ_ARGUMENT, "there are no listeners");
  if (w->count && w->listeners[0].size < sizeof *w->listeners)
    return gpm_read_fail(w->reader, GPUMEMPROF_READ_ARGUMENT,
                         "the size of the first listener is not set to sizeof");
  return GPUMEMPROF_READ_OK;
}

static int walk(void *arguments) {
  struct walk *w = arguments;
  int status = refuse(w);
  if (!status) status = choose(w->reader, w->capture, &w->events);
  if (status) return status;
  struct gpm_reader *own = &w->events.own;
  struct gpm_listener listener = {.self = w,
                                  .profile = w->events.capture->profile,
                                  .stops = gpm_walk_is_whole(own),
                                  .step = add_step};
  gpm_host_doing(&w->reader->host, "reading the events");
  bool good = gpm_walk_read(own, &listener, 1);
  keep_checked(&w->events);
  gpm_read_capture_drop(w->reader, w->events.capture);
  if (w->stopped)
    return gpm_read_fail(w->reader, GPUMEMPROF_READ_STOPPED, "a listener ended the walk");
  return good ? GPUMEMPROF_READ_OK : GPUMEMPROF_READ_CAPTURE;
}

int gpumemprof_read_walk(struct gpumemprof_read *r, uint32_t capture,
                         const struct gpumemprof_read_listener *listeners, uint32_t count) {
  return gpm_read_call(
      r, walk,
      &(struct walk){.reader = r, .capture = capture, .count = count, .listeners = listeners});
}

/* ---- one by one --------------------------------------------------------------------------------
 */

struct opening {
  struct gpumemprof_read *reader;
  uint32_t capture;
  struct gpumemprof_read_events *events;
};

static bool keep(void *self, const struct gpm_step *s) {
  struct gpumemprof_read_events *e = self;
  if (gpm_window_is_behind(&e->window, s->event.clock, s->time_ns)) return false;
  e->found = is_wanted(e, s);
  if (e->found) fill(&e->event, e->capture->reader, s);
  return true;
}

/* Reports what is wrong, if anything is. */
static int status_of(const struct gpumemprof_read_events *e, const char *error) {
  if (!error[0]) return GPUMEMPROF_READ_OK;
  gpm_host_say(&e->reader->host, "%s", error);
  return GPUMEMPROF_READ_CAPTURE;
}

static int open_walk(struct gpumemprof_read_events *e) {
  char error[512];
  struct gpm_reader *own = &e->own;
  e->listener = (struct gpm_listener){
      .self = e, .profile = e->capture->profile, .stops = gpm_walk_is_whole(own), .step = keep};
  e->walk = gpm_listeners_begin(own, &e->listener, 1, error, sizeof error);
  keep_checked(e);
  if (!e->walk) gpm_read_capture_drop(e->reader, e->capture);
  return status_of(e, error);
}

static int open_events(void *arguments) {
  struct opening *o = arguments;
  o->events = gpm_memory_array(1, sizeof *o->events);
  int status = choose(o->reader, o->capture, o->events);
  if (!status) status = open_walk(o->events);
  if (status) free(o->events);
  return status;
}

struct gpumemprof_read_events *gpumemprof_read_events_of(struct gpumemprof_read *r,
                                                         uint32_t capture) {
  struct opening o = {.reader = r, .capture = capture};
  return gpm_read_call(r, open_events, &o) ? NULL : o.events;
}

static int next_event(void *arguments) {
  struct gpumemprof_read_events *e = arguments;
  char error[512] = "";
  e->found = false;
  while (e->walk && !e->found && gpm_listeners_next(e->walk, error, sizeof error));
  if (e->found) return GPUMEMPROF_READ_OK;
  if (e->walk) gpm_listeners_end(e->walk);
  e->walk = NULL;
  int status = status_of(e, error);
  return status ? status : GPUMEMPROF_READ_END;
}

int gpumemprof_read_next(struct gpumemprof_read_events *e,
                         const struct gpumemprof_read_event **event) {
  int status = gpm_read_call(e ? e->reader : NULL, next_event, e);
  if (event) *event = status ? NULL : &e->event;
  return status;
}

static int free_events(void *arguments) {
  struct gpumemprof_read_events *e = arguments;
  if (e->walk) gpm_listeners_end(e->walk);
  gpm_read_capture_drop(e->reader, e->capture);
  free(e);
  return GPUMEMPROF_READ_OK;
}

void gpumemprof_read_events_free(struct gpumemprof_read_events *e) {
  if (e) gpm_read_call(e->reader, free_events, e);
}
