/* trace.c - see trace.h. */
#include "events/trace.h"

#include "rows/locations.h"
#include "support/map.h"
#include "support/text.h"

#include <stdlib.h>

enum { COUNTERS = 1 + GPUMEMPROF_KINDS }; /* per device: all kinds, then each */

struct thread {
  uint32_t number;
  uint32_t *open; /* scopes, outermost first */
  size_t depth, room;
  uint32_t latest; /* the node whose scopes are open */
  uint64_t time_ns;
};

struct counter {
  uint64_t total, highest, time_ns;
  bool waits; /* it has a value that is written once time has moved on */
};

struct gpm_trace {
  const struct gpm_profile *profile;
  const struct gpm_trace_calls *calls;
  void *to;
  struct gpm_map thread_of;
  struct thread *threads;
  size_t thread_count;
  struct counter *counters; /* COUNTERS of each device; null: what is live is not known */
  struct gpm_cursor marks, steps;
  const struct gpumemprof_capture_mark *mark;
  const struct gpumemprof_capture_step *step;
};

static struct thread *thread_at(struct gpm_trace *c, uint32_t number) {
  uint64_t i = *gpm_map_at(&c->thread_of, number, c->thread_count);
  if (i == c->thread_count) {
    c->threads = gpm_memory_resize(c->threads, c->thread_count + 1, sizeof *c->threads);
    c->threads[c->thread_count++] = (struct thread){.number = number, .latest = GPUMEMPROF_NONE};
    if (c->calls->thread) c->calls->thread(c->to, number);
  }
  return &c->threads[i];
}

/* ---- scopes -----------------------------------------------------------------------------------
 */

static void close_scopes(struct gpm_trace *c, struct thread *t, size_t depth, uint64_t ns) {
  for (; t->depth > depth; t->depth--) c->calls->close(c->to, t->number, t->open[t->depth - 1], ns);
  t->latest = GPUMEMPROF_NONE;
}

/* Closes the scopes that are not on the path of a call, then opens those that are missing. Work
 * that another thread handed over has scopes of that thread. */
static void enter(struct gpm_trace *c, struct thread *t, uint32_t node, uint64_t ns) {
  const struct gpm_profile *p = c->profile;
  if (t->latest == node) return;
  size_t depth = 0, same = 0;
  for (uint32_t n = node; n; n = p->tree.node[n].parent) depth += gpm_profile_is_scope(p, n);
  if (depth > t->room) {
    t->room = depth * 2;
    t->open = gpm_memory_resize(t->open, t->room, sizeof *t->open);
  }
  uint32_t *path = gpm_memory_array(depth, sizeof *path);
  size_t i = depth;
  for (uint32_t n = node; n; n = p->tree.node[n].parent)
    if (gpm_profile_is_scope(p, n)) path[--i] = n;
  while (same < depth && same < t->depth && t->open[same] == path[same]) same++;
  close_scopes(c, t, same, ns);
  for (; t->depth < depth; t->depth++) {
    t->open[t->depth] = path[t->depth];
    c->calls->open(c->to, t->number, path[t->depth], ns);
  }
  free(path);
  t->latest = node;
}

static void leave(struct gpm_trace *c, struct thread *t, uint32_t node, uint64_t ns) {
  for (size_t i = t->depth; i-- > 0;)
    if (t->open[i] == node) {
      close_scopes(c, t, i, ns);
      return;
    }
}

/* ---- what is live -----------------------------------------------------------------------------
 */

static void write_counter(struct gpm_trace *c, uint32_t device, uint32_t at) {
  struct counter *k = &c->counters[(size_t)device * COUNTERS + at];
  c->calls->live(c->to, device, at ? at - 1 : GPM_ALL_KINDS, k->total, k->time_ns);
  k->waits = false;
}

/* Writes a counter at most once a microsecond, except at a new peak. */
static void count(struct gpm_trace *c, uint32_t device, uint32_t at, uint64_t change, uint64_t ns) {
  struct counter *k = &c->counters[(size_t)device * COUNTERS + at];
  if (k->waits && k->time_ns / 1000 != ns / 1000) write_counter(c, device, at);
  k->total += change;
  k->time_ns = ns > k->time_ns ? ns : k->time_ns; /* time stamps of threads may be out of order */
  k->waits = true;
  if (k->total <= k->highest) return;
  k->highest = k->total;
  write_counter(c, device, at);
}

static void write_counters(struct gpm_trace *c) {
  for (uint32_t i = 0; c->counters && i < c->profile->reader->device_count; i++)
    for (uint32_t at = 0; at < COUNTERS; at++)
      if (c->counters[(size_t)i * COUNTERS + at].waits) write_counter(c, i, at);
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static void write_marks(struct gpm_trace *c, uint64_t clock) {
  const struct gpm_reader *r = c->profile->reader;
  for (; c->mark && c->mark->clock < clock; c->mark = gpm_cursor_next(&c->marks)) {
    char *name = gpm_locations_text(r, c->mark->name);
    thread_at(c, c->mark->thread);
    c->calls->mark(c->to, *name ? name : "(mark)", c->mark->thread,
                   gpm_reader_time_ns(r, c->mark->ticks));
    free(name);
  }
  if (!c->calls->boundary) return;
  for (; c->step && c->step->clock < clock; c->step = gpm_cursor_next(&c->steps))
    c->calls->boundary(c->to, c->step, c->steps.number + 1, gpm_reader_time_ns(r, c->step->ticks));
}

static bool write_step(void *self, const struct gpm_step *s) {
  struct gpm_trace *c = self;
  struct thread *t = thread_at(c, s->event.thread);
  t->time_ns = s->time_ns;
  write_marks(c, s->event.clock);
  t = thread_at(c, s->event.thread); /* a thread of a mark may have moved the array */
  if (s->event.kind == GPM_EVENT_SCOPE_ENDED) {
    leave(c, t, s->node, s->time_ns);
    return true;
  }
  enter(c, t, s->node, s->time_ns);
  if (s->event.kind == GPM_EVENT_FAILED) {
    c->calls->failure(c->to, s);
    return true;
  }
  bool ends = s->event.kind == GPM_EVENT_FREED;
  c->calls->block(c->to, s, ends);
  if (!c->counters) return true;
  uint64_t change = ends ? 0 - s->block->bytes : s->block->bytes;
  count(c, s->block->device, 0, change, s->time_ns);
  if (c->calls->kinds) count(c, s->block->device, 1 + s->kind, change, s->time_ns);
  return true;
}

static void write_rest(void *self, uint64_t clock) {
  struct gpm_trace *c = self;
  (void)clock;
  write_marks(c, UINT64_MAX);
  for (size_t i = 0; i < c->thread_count; i++)
    close_scopes(c, &c->threads[i], 0, c->threads[i].time_ns);
  write_counters(c);
}

struct gpm_trace *gpm_trace_begin(const struct gpm_profile *profile,
                                  const struct gpm_trace_calls *calls, void *to,
                                  struct gpm_listener *listener) {
  const struct gpm_reader *r = profile->reader;
  struct gpm_trace *c = gpm_memory_array(1, sizeof *c);
  *c = (struct gpm_trace){.profile = profile,
                          .calls = calls,
                          .to = to,
                          .marks.records = &r->marks,
                          .steps.records = &r->steps};
  *listener = (struct gpm_listener){
      .self = c, .profile = profile, .stops = calls->stops, .step = write_step, .end = write_rest};
  if (calls->live && gpm_walk_is_whole(r))
    c->counters = gpm_memory_array((size_t)r->device_count * COUNTERS, sizeof *c->counters);
  if (calls->mark) c->mark = gpm_cursor_next(&c->marks);
  c->step = gpm_cursor_next(&c->steps);
  return c;
}

void gpm_trace_free(struct gpm_trace *c) {
  for (size_t i = 0; i < c->thread_count; i++) free(c->threads[i].open);
  free(c->counters);
  free(c->threads);
  gpm_map_free(&c->thread_of);
  free(c);
}

bool gpm_trace(struct gpm_reader *r, const struct gpm_profile *profile,
               const struct gpm_trace_calls *calls, void *to) {
  struct gpm_listener listener;
  struct gpm_trace *c = gpm_trace_begin(profile, calls, to, &listener);
  bool ok = gpm_walk_read(r, &listener, 1);
  gpm_trace_free(c);
  return ok;
}

void gpm_trace_moments(struct gpm_reader *r, const struct gpm_trace_calls *calls, void *to) {
  struct gpm_listener unused;
  struct gpm_profile only_reader = {.reader = r};
  struct gpm_trace *c = gpm_trace_begin(&only_reader, calls, to, &unused);
  write_marks(c, UINT64_MAX);
  gpm_trace_free(c);
}

/* ---- names ------------------------------------------------------------------------------------
 */

const char *gpm_trace_phase(uint32_t phase) {
  static const char *const phases[] = {"", "wait", "warmup", "active"};
  return phases[phase];
}

char *gpm_trace_scope(const struct gpm_profile *p, uint32_t node) {
  const struct gpumemprof_capture_site *s = gpm_reader_site(p->reader, p->site[node]);
  char *name = gpm_locations_text(p->reader, s->name ? s->name : s->function);
  if (*name) return name;
  free(name);
  return gpm_memory_text("(unknown function)");
}

char *gpm_trace_block(const struct gpm_profile *p, const struct gpm_walk_block *b) {
  const struct gpm_reader *r = p->reader;
  const struct gpumemprof_capture_cell *cell = gpm_reader_record(&r->cells, b->cell);
  uint32_t site = p->site[cell->node];
  char size[GPM_TEXT_NUMBER];
  char *variable = site == GPUMEMPROF_NONE
                       ? gpm_memory_text("")
                       : gpm_locations_text(r, gpm_reader_site(r, site)->variable);
  char *name = gpm_memory_format("%s%s%s", variable, *variable ? " " : "",
                                 gpm_text_bytes(size, (int64_t)b->bytes, 0));
  free(variable);
  return name;
}

char *gpm_trace_failure(const struct gpm_step *s) {
  char size[GPM_TEXT_NUMBER];
  gpm_text_bytes(size, (int64_t)s->event.bytes, 0);
  return gpm_memory_format("%s: %s", s->event.out_of_memory ? "out of memory" : "failed", size);
}
