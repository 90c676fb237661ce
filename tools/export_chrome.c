/* export_chrome.c - trace events as JSON, for Perfetto and chrome://tracing.
 *
 *   a thread's track    its scopes, nested (B, E); failures and marks on it (i)
 *   GPU 0, host, ...    a counter of live bytes each (C)
 *   alloc               each block from allocation to free (b, e); without an end: never freed
 *
 * A scope begins with the first event in it, since only ends are events of their own.
 */
#include "export.h"
#include "walk.h"

#include "places.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>

struct thread {
  uint32_t number;
  uint32_t *open; /* scopes, outermost first */
  size_t depth, room;
  uint32_t latest; /* node whose scopes are open */
  uint64_t time_ns;
};

struct counter { /* of a device */
  uint64_t total, highest, time_ns;
  bool waits; /* to be written once time has moved on */
};

struct chrome {
  const struct gpm_export *x;
  FILE *f;
  uint64_t written;
  struct gpm_map thread_of;
  struct thread *threads;
  size_t thread_count;
  struct counter *counters; /* null: what is live is not known */
  char **where;             /* by frame */
  struct gpm_cursor marks;
  const struct gpumemprof_capture_mark *mark;
};

/* Everything of an event but what is special to it. `phase` begins the object. */
static void begin(struct chrome *c, const char *phase, uint32_t thread, uint64_t ns) {
  fprintf(c->f,
          "%s{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64 ".%03" PRIu64,
          c->written++ ? ",\n" : "\n", phase, c->x->reader->header.pid, thread, ns / 1000,
          ns % 1000);
}

static void name_it(struct chrome *c, const char *name) {
  fputs(",\"name\":", c->f);
  gpm_export_quote(c->f, name);
}

static void name_track(struct chrome *c, const char *what, uint32_t thread, const char *name) {
  begin(c, "M", thread, 0);
  name_it(c, what);
  fputs(",\"args\":{\"name\":", c->f);
  gpm_export_quote(c->f, name);
  fputs("}}", c->f);
}

static struct thread *thread_at(struct chrome *c, uint32_t number) {
  uint64_t i = *gpm_map_at(&c->thread_of, number, c->thread_count);
  if (i == c->thread_count) {
    c->threads = gpm_memory_resize(c->threads, c->thread_count + 1, sizeof *c->threads);
    c->threads[c->thread_count++] = (struct thread){.number = number, .latest = GPUMEMPROF_NONE};
    char *name = gpm_memory_format("thread %" PRIu32, number);
    name_track(c, "thread_name", number, name);
    free(name);
  }
  return &c->threads[i];
}

/* ---- scopes -----------------------------------------------------------------------------------
 */

static void open_scope(struct chrome *c, struct thread *t, uint32_t node, uint64_t ns) {
  const struct gpm_reader *r = c->x->reader;
  const struct gpumemprof_capture_site *s = gpm_reader_site(r, c->x->profile->site[node]);
  char *name = gpm_places_text(r, s->name ? s->name : s->function);
  char *file = gpm_places_text(r, s->file);
  char *place = gpm_memory_format("%s:%" PRIu32, file, s->line);
  begin(c, "B", t->number, ns);
  name_it(c, *name ? name : "(unknown function)");
  fputs(",\"args\":{\"loc\":", c->f);
  gpm_export_quote(c->f, place);
  fputs("}}", c->f);
  free(name);
  free(file);
  free(place);
}

static void close_scopes(struct chrome *c, struct thread *t, size_t depth, uint64_t ns) {
  for (; t->depth > depth; t->depth--) {
    begin(c, "E", t->number, ns);
    putc('}', c->f);
  }
  t->latest = GPUMEMPROF_NONE;
}

/* Opens what the path of a call has open and the thread has not, after closing what is not on it:
 * work that was handed over has scopes of another thread's. */
static void enter(struct chrome *c, struct thread *t, uint32_t node, uint64_t ns) {
  const struct gpm_profile *p = c->x->profile;
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
  for (; t->depth < depth; t->depth++) open_scope(c, t, t->open[t->depth] = path[t->depth], ns);
  free(path);
  t->latest = node;
}

static void leave(struct chrome *c, struct thread *t, uint32_t node, uint64_t ns) {
  for (size_t i = t->depth; i-- > 0;)
    if (t->open[i] == node) {
      close_scopes(c, t, i, ns);
      return;
    }
}

/* ---- counters ---------------------------------------------------------------------------------
 */

static void write_counter(struct chrome *c, uint32_t device) {
  struct counter *k = &c->counters[device];
  char *name = gpm_places_device(c->x->reader, device);
  begin(c, "C", 0, k->time_ns);
  name_it(c, name);
  fprintf(c->f, ",\"args\":{\"live bytes\":%" PRIu64 "}}", k->total);
  k->waits = false;
  free(name);
}

/* Once a microsecond is enough, but for peaks. */
static void count(struct chrome *c, uint32_t device, uint64_t change, uint64_t ns) {
  if (!c->counters) return;
  struct counter *k = &c->counters[device];
  if (k->waits && k->time_ns / 1000 != ns / 1000) write_counter(c, device);
  k->total += change;
  k->time_ns = ns;
  k->waits = true;
  if (k->total <= k->highest) return;
  k->highest = k->total;
  write_counter(c, device);
}

/* ---- blocks, failures, marks ------------------------------------------------------------------
 */

static const char *where(struct chrome *c, uint32_t node) {
  uint32_t frame = gpm_frames_innermost(c->x->frames, node);
  if (!c->where[frame]) c->where[frame] = gpm_frames_text(c->x->frames, frame);
  return c->where[frame];
}

/* "grid 64.00 MiB" */
static void name_block(struct chrome *c, const struct gpm_walk_block *b) {
  const struct gpm_reader *r = c->x->reader;
  const struct gpumemprof_capture_cell *cell = gpm_reader_record(&r->cells, b->cell);
  uint32_t site = c->x->profile->site[cell->node];
  char size[GPM_TEXT_NUMBER];
  char *variable = site == GPUMEMPROF_NONE ? gpm_memory_text("")
                                           : gpm_places_text(r, gpm_reader_site(r, site)->variable);
  char *name = gpm_memory_format("%s%s%s", variable, *variable ? " " : "",
                                 gpm_text_bytes(size, (int64_t)b->bytes, 0));
  name_it(c, name);
  free(variable);
  free(name);
}

static void write_block(struct chrome *c, const struct gpm_step *s, bool ends) {
  const struct gpm_walk_block *b = s->block;
  begin(c, ends ? "e" : "b", s->event.thread, s->time_ns);
  fprintf(c->f, ",\"cat\":\"alloc\",\"id\":\"0x%" PRIx64 "_%" PRIu32 "\"", b->address, b->lives);
  name_block(c, b);
  if (ends) fputs(",\"args\":{\"freed at\":", c->f);
  else
    fprintf(c->f, ",\"args\":{\"bytes\":%" PRIu64 ",\"kind\":\"%s\",\"%s\":", b->bytes,
            gpm_places_kind(s->kind),
            s->event.kind == GPM_EVENT_TAKEN_BACK ? "free failed at" : "allocated at");
  gpm_export_quote(c->f, where(c, s->node));
  fputs("}}", c->f);
}

static void write_failure(struct chrome *c, const struct gpm_step *s) {
  char size[GPM_TEXT_NUMBER];
  gpm_text_bytes(size, (int64_t)s->event.bytes, 0);
  char *name =
      gpm_memory_format("%s: %s", s->event.out_of_memory ? "out of memory" : "failed", size);
  begin(c, "i", s->event.thread, s->time_ns);
  name_it(c, name);
  fprintf(c->f, ",\"s\":\"t\",\"args\":{\"bytes\":%" PRIu64 ",\"at\":", s->event.bytes);
  gpm_export_quote(c->f, where(c, s->node));
  fputs("}}", c->f);
  free(name);
}

static void write_marks(struct chrome *c, uint64_t clock) {
  const struct gpm_reader *r = c->x->reader;
  for (; c->mark && c->mark->clock < clock; c->mark = gpm_cursor_next(&c->marks)) {
    char *name = gpm_places_text(r, c->mark->name);
    begin(c, "i", c->mark->thread, gpm_reader_time_ns(r, c->mark->ticks));
    name_it(c, *name ? name : "(mark)");
    fputs(",\"s\":\"p\"}", c->f);
    free(name);
  }
}

static void write_step(struct chrome *c, const struct gpm_step *s) {
  struct thread *t = thread_at(c, s->event.thread);
  uint32_t device = s->block ? s->block->device : 0;
  t->time_ns = s->time_ns;
  write_marks(c, s->event.clock);
  if (s->event.kind == GPM_EVENT_SCOPE_ENDED) return leave(c, t, s->node, s->time_ns);
  enter(c, t, s->node, s->time_ns);
  if (s->event.kind == GPM_EVENT_FAILED) return write_failure(c, s);
  bool ends = s->event.kind == GPM_EVENT_FREED;
  write_block(c, s, ends);
  count(c, device, ends ? 0 - s->block->bytes : s->block->bytes, s->time_ns);
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static void write_end(struct chrome *c) {
  write_marks(c, UINT64_MAX);
  for (size_t i = 0; i < c->thread_count; i++) {
    close_scopes(c, &c->threads[i], 0, c->threads[i].time_ns);
    free(c->threads[i].open);
  }
  for (uint32_t i = 0; c->counters && i < c->x->reader->device_count; i++)
    if (c->counters[i].waits) write_counter(c, i);
  fputs("\n]}\n", c->f);
}

bool gpm_export_chrome(const struct gpm_export *x) {
  struct chrome c = {.x = x, .f = x->file, .marks.records = &x->reader->marks};
  struct gpm_step step;
  struct gpm_walk *walk = gpm_walk_open(x->reader, x->profile);
  if (!walk) return false;
  if (gpm_walk_is_whole(x->reader))
    c.counters = gpm_memory_array(x->reader->device_count, sizeof *c.counters);
  c.where = gpm_memory_array(x->frames->keys.count, sizeof *c.where);
  c.mark = gpm_cursor_next(&c.marks);
  char *command = gpm_export_command(x);
  fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", c.f);
  name_track(&c, "process_name", 0, command);
  while (gpm_walk_next(walk, &step)) write_step(&c, &step);
  write_end(&c);
  for (uint32_t i = 0; i < x->frames->keys.count; i++) free(c.where[i]);
  free(c.where);
  free(c.counters);
  free(c.threads);
  gpm_map_free(&c.thread_of);
  free(command);
  return gpm_walk_close(walk);
}
