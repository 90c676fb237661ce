/* export_chrome.c - writes trace events as JSON, for Perfetto and chrome://tracing.
 *
 *   a thread's track    its scopes, nested (B, E); failures and marks on it (i)
 *   GPU 0, host, ...    a counter of live bytes each (C)
 *   alloc               each block from allocation to free (b, e); without an end: never freed
 *
 * A scope begins with the first event in it, because the history records only the ends of scopes.
 */
#include "events/trace.h"
#include "export/clean_text.h"
#include "export/export.h"

#include "rows/locations.h"

#include <inttypes.h>
#include <stdlib.h>

struct chrome {
  const struct gpm_export *x;
  FILE *f;
  uint64_t written;
  char **where; /* by frame */
};

/* Writes the fields that all events have. The JSON object begins with `phase`. */
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

static void name_thread(void *to, uint32_t thread) {
  char *name = gpm_memory_format("thread %" PRIu32, thread);
  name_track(to, "thread_name", thread, name);
  free(name);
}

/* An end event repeats the fields of its begin event. The format does not need them, but speedscope
 * reads them. */
static void write_scope(struct chrome *c, const char *phase, uint32_t thread, uint32_t node,
                        uint64_t ns) {
  const struct gpm_reader *r = c->x->reader;
  const struct gpumemprof_capture_site *s = gpm_reader_site(r, c->x->profile->site[node]);
  char *name = gpm_trace_scope(c->x->profile, node);
  char *file = gpm_locations_text(r, s->file);
  char *location = gpm_memory_format("%s:%" PRIu32, file, s->line);
  begin(c, phase, thread, ns);
  name_it(c, name);
  fputs(",\"args\":{\"loc\":", c->f);
  gpm_export_quote(c->f, location);
  fputs("}}", c->f);
  free(name);
  free(file);
  free(location);
}

static void open_scope(void *to, uint32_t thread, uint32_t node, uint64_t ns) {
  write_scope(to, "B", thread, node, ns);
}

static void close_scope(void *to, uint32_t thread, uint32_t node, uint64_t ns) {
  write_scope(to, "E", thread, node, ns);
}

static void write_live(void *to, uint32_t device, uint32_t kind, uint64_t bytes, uint64_t ns) {
  struct chrome *c = to;
  (void)kind;
  char *name = gpm_locations_device(c->x->reader, device);
  begin(c, "C", 0, ns);
  name_it(c, name);
  fprintf(c->f, ",\"args\":{\"live bytes\":%" PRIu64 "}}", bytes);
  free(name);
}

static const char *where(struct chrome *c, uint32_t node) {
  uint32_t frame = gpm_frames_innermost(c->x->frames, node);
  if (!c->where[frame]) c->where[frame] = gpm_frames_text(c->x->frames, frame);
  return c->where[frame];
}

static void write_block(void *to, const struct gpm_step *s, bool ends) {
  struct chrome *c = to;
  const struct gpm_walk_block *b = s->block;
  char *name = gpm_trace_block(c->x->profile, b);
  begin(c, ends ? "e" : "b", s->event.thread, s->time_ns);
  fprintf(c->f, ",\"cat\":\"alloc\",\"id\":\"0x%" PRIx64 "_%" PRIu32 "\"", b->address,
          b->generation);
  name_it(c, name);
  free(name);
  if (ends) fputs(",\"args\":{\"freed at\":", c->f);
  else
    fprintf(c->f, ",\"args\":{\"bytes\":%" PRIu64 ",\"kind\":\"%s\",\"%s\":", b->bytes,
            gpm_locations_kind(s->kind),
            s->event.kind == GPM_EVENT_TAKEN_BACK ? "free failed at" : "allocated at");
  gpm_export_quote(c->f, where(c, s->node));
  fputs("}}", c->f);
}

static void write_failure(void *to, const struct gpm_step *s) {
  struct chrome *c = to;
  char *name = gpm_trace_failure(s);
  begin(c, "i", s->event.thread, s->time_ns);
  name_it(c, name);
  fprintf(c->f, ",\"s\":\"t\",\"args\":{\"bytes\":%" PRIu64 ",\"at\":", s->event.bytes);
  gpm_export_quote(c->f, where(c, s->node));
  fputs("}}", c->f);
  free(name);
}

static void write_mark(void *to, const char *name, uint32_t thread, uint64_t ns) {
  struct chrome *c = to;
  begin(c, "i", thread, ns);
  name_it(c, name);
  fputs(",\"s\":\"p\"}", c->f);
}

bool gpm_export_chrome(const struct gpm_export *x) {
  static const struct gpm_trace_calls calls = {.thread = name_thread,
                                               .open = open_scope,
                                               .close = close_scope,
                                               .block = write_block,
                                               .failure = write_failure,
                                               .mark = write_mark,
                                               .live = write_live};
  struct chrome c = {.x = x, .f = x->file};
  c.where = gpm_memory_array(x->frames->keys.count, sizeof *c.where);
  char *command = gpm_export_command(x);
  fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", c.f);
  name_track(&c, "process_name", 0, command);
  bool ok = gpm_trace(x->reader, x->profile, &calls, &c);
  fputs("\n]}\n", c.f);
  for (uint32_t i = 0; i < x->frames->keys.count; i++) free(c.where[i]);
  free(c.where);
  free(command);
  return ok;
}
