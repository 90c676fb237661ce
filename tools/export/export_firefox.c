/* export_firefox.c - writes a profile for https://profiler.firefox.com, in its processed format.
 *
 *   all threads        only with events: each allocation and free, by which the viewer shows what
 *                      was retained, allocated and freed, of the whole run or of a part
 *   at each device's peak, allocated, leaked
 *                      the figures of the report, as allocations at time 0
 *   thread 0, ...      only with events: what each thread allocated, as samples weighted by bytes
 *
 * Counters are the live bytes of each device. Marks, failures and steps are markers of the first of
 * these threads. Version 63 of the format is the first in which a counter has a label of its own;
 * the viewer reads all older versions than its own. A table is written column by column, so that
 * what the events say is kept in a temporary file meanwhile (spool.h).
 */
#include "events/trace.h"
#include "export/clean_text.h"
#include "export/firefox.h"
#include "export/path_sums.h"
#include "rows/locations.h"
#include "support/map.h"

#include <inttypes.h>

enum { MOST_SHOWN = 16 }; /* threads that the viewer shows until a user asks for more */

struct export {
  struct gpm_firefox p;
  uint64_t end_ns, interval_ns;
  struct gpm_spool_list events, markers;
  struct gpm_spool_list *live; /* by device */
  struct gpm_map thread_of;    /* number of a thread -> its index below */
  struct thread {
    uint32_t number;
    struct gpm_spool_list allocated;
  } *threads;
  size_t thread_count, thread_room;
  size_t written; /* threads of the file */
};

/* ---- events -----------------------------------------------------------------------------------
 */

static void add(struct export *e, struct gpm_spool_list *list, struct gpm_spool_record record) {
  if (record.ns > e->end_ns) e->end_ns = record.ns;
  gpm_spool_add(&e->p.spool, list, record);
}

static void add_thread(void *to, uint32_t number) {
  struct export *e = to;
  if (e->thread_count == e->thread_room) {
    e->thread_room = e->thread_room ? e->thread_room * 2 : 16;
    e->threads = gpm_memory_resize(e->threads, e->thread_room, sizeof *e->threads);
  }
  *gpm_map_at(&e->thread_of, number, 0) = e->thread_count;
  e->threads[e->thread_count++] = (struct thread){.number = number};
}

static void ignore_scope(void *to, uint32_t thread, uint32_t node, uint64_t ns) {
  (void)to, (void)thread, (void)node, (void)ns;
}

/* Times of one table must not decrease, but the time stamps of threads may cross. A block whose
 * free failed stays that of the path that allocated it. */
static void add_block(void *to, const struct gpm_step *s, bool ends) {
  struct export *e = to;
  const struct gpm_walk_block *b = s->block;
  const struct gpumemprof_capture_cell *cell = gpm_reader_record(&e->p.x->reader->cells, b->cell);
  bool survived = s->event.kind == GPM_EVENT_TAKEN_BACK;
  struct gpm_spool_record record = {.ns = s->time_ns > e->end_ns ? s->time_ns : e->end_ns,
                                    .bytes = b->bytes,
                                    .number = b->unique_address,
                                    .node = survived ? cell->node : s->node,
                                    .thread = s->event.thread,
                                    .what = ends};
  add(e, &e->events, record);
  if (ends || survived) return;
  record.ns = s->time_ns;
  add(e, &e->threads[gpm_map_find(&e->thread_of, record.thread, 0)].allocated, record);
}

/* The viewer draws a line from each value to the next, so that a step is two values at one time. */
static void add_value(struct export *e, struct gpm_spool_list *list, uint64_t bytes, uint64_t ns) {
  const struct gpm_spool_record *latest = gpm_spool_latest(list);
  struct gpm_spool_record before = {.ns = ns, .bytes = latest ? latest->bytes : 0};
  if (!latest) add(e, list, (struct gpm_spool_record){0}); /* which the viewer takes for 0 */
  add(e, list, before);
  if (bytes != before.bytes) add(e, list, (struct gpm_spool_record){.ns = ns, .bytes = bytes});
}

static void add_live(void *to, uint32_t device, uint32_t kind, uint64_t bytes, uint64_t ns) {
  struct export *e = to;
  (void)kind;
  add_value(e, &e->live[device], bytes, ns);
}

/* Draws the last values until the end of the run. */
static void add_last_values(struct export *e) {
  for (uint32_t i = 0; i < e->p.x->reader->device_count; i++)
    if (e->live[i].count)
      add_value(e, &e->live[i], gpm_spool_latest(&e->live[i])->bytes, e->end_ns);
}

static void add_failure(void *to, const struct gpm_step *s) {
  struct export *e = to;
  add(e, &e->markers,
      (struct gpm_spool_record){.ns = s->time_ns,
                                .bytes = s->event.bytes,
                                .node = s->node,
                                .thread = s->event.thread,
                                .what = s->event.out_of_memory ? GPM_FIREFOX_OUT_OF_MEMORY
                                                               : GPM_FIREFOX_FAILED});
}

static void add_mark(void *to, const char *name, uint32_t thread, uint64_t ns) {
  struct export *e = to;
  add(e, &e->markers,
      (struct gpm_spool_record){.ns = ns,
                                .number = gpm_words_exact(&e->p.strings, name),
                                .thread = thread,
                                .what = GPM_FIREFOX_MARK});
}

static void add_boundary(void *to, const struct gpumemprof_capture_step *step, uint64_t number,
                         uint64_t ns) {
  struct export *e = to;
  add(e, &e->markers,
      (struct gpm_spool_record){.ns = ns,
                                .bytes = step->live,
                                .number = number,
                                .node = step->phase,
                                .thread = step->cycle,
                                .what = GPM_FIREFOX_STEP});
}

static bool read_events(struct export *e) {
  static const struct gpm_trace_calls calls = {.thread = add_thread,
                                               .open = ignore_scope,
                                               .close = ignore_scope,
                                               .block = add_block,
                                               .failure = add_failure,
                                               .mark = add_mark,
                                               .live = add_live,
                                               .boundary = add_boundary};
  const struct gpm_export *x = e->p.x;
  if (x->reader->event_chunks) return gpm_trace(x->reader, x->profile, &calls, e);
  struct gpm_trace_calls of_moments = {.mark = add_mark, .boundary = add_boundary};
  gpm_trace_moments(x->reader, &of_moments, e);
  return true;
}

/* ---- threads ----------------------------------------------------------------------------------
 */

/* Begins the object of a thread. The first one is the process's, whose name it shows. */
static void begin_thread(struct export *e, const char *name, const char *id) {
  FILE *f = e->p.f;
  char *command = gpm_export_command(e->p.x);
  fprintf(f,
          "%s{\"name\":\"%s\",\"tid\":%s,\"pid\":\"%" PRIu64 "\",\"isMainThread\":%s,"
          "\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
          "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],"
          "\"showMarkersInTimeline\":true,\"processName\":",
          e->written ? ",\n" : "\n", name, id, e->p.x->reader->header.pid,
          e->written ? "false" : "true");
  gpm_export_quote(f, command);
  fputs(",\n", f);
  gpm_firefox_write_markers(&e->p, e->written++ ? &(struct gpm_spool_list){0} : &e->markers);
  free(command);
}

static const char no_samples[] =
    ",\n\"samples\":{\"length\":0,\"stack\":[],\"time\":[],\"weight\":null,\"weightType\":"
    "\"samples\"}";

static void write_events(struct export *e) {
  struct gpm_firefox *p = &e->p;
  begin_thread(e, "all threads", "\"all threads\"");
  fprintf(p->f, "%s,\n\"nativeAllocations\":{\"length\":%" PRIu64 ",\"weightType\":\"bytes\"",
          no_samples, e->events.count);
  gpm_firefox_write_column(p, "time", &e->events, GPM_FIREFOX_TIME);
  gpm_firefox_write_column(p, "weight", &e->events, GPM_FIREFOX_SIGNED_BYTES);
  gpm_firefox_write_column(p, "stack", &e->events, GPM_FIREFOX_STACK);
  gpm_firefox_write_column(p, "memoryAddress", &e->events, GPM_FIREFOX_NUMBER);
  gpm_firefox_write_column(p, "threadId", &e->events, GPM_FIREFOX_THREAD);
  fputs("}}", p->f);
}

static void write_figure(struct export *e, const char *name, enum gpm_export_value value) {
  struct gpm_firefox *p = &e->p;
  uint64_t *sum = gpm_export_sums(p->x, value), count = 0;
  uint32_t nodes = p->x->profile->node_count;
  char *id = gpm_memory_format("\"%s\"", name);
  for (uint32_t n = 0; n < nodes; n++) count += sum[n] != 0;
  begin_thread(e, name, id);
  fprintf(p->f, "%s,\n\"nativeAllocations\":{\"length\":%" PRIu64 ",\"weightType\":\"bytes\"",
          no_samples, count);
  gpm_firefox_write_same(p, "time", "0", count);
  fputs(",\n\"weight\":[", p->f);
  for (uint32_t n = 0, written = 0; n < nodes; n++)
    if (sum[n]) fprintf(p->f, "%s%" PRIu64, written++ ? "," : "", sum[n]);
  fputs("],\n\"stack\":[", p->f);
  for (uint32_t n = 0, written = 0; n < nodes; n++)
    if (sum[n]) fprintf(p->f, "%s%" PRIu32, written++ ? "," : "", p->stack[n]);
  fputs("]}}", p->f);
  free(sum);
  free(id);
}

static void write_thread(struct export *e, const struct thread *t) {
  struct gpm_firefox *p = &e->p;
  char *name = gpm_memory_format("thread %" PRIu32, t->number),
       *id = gpm_memory_format("%" PRIu32, t->number);
  begin_thread(e, name, id);
  fprintf(p->f, ",\n\"samples\":{\"length\":%" PRIu64 ",\"weightType\":\"bytes\"",
          t->allocated.count);
  gpm_firefox_write_column(p, "time", &t->allocated, GPM_FIREFOX_TIME);
  gpm_firefox_write_column(p, "weight", &t->allocated, GPM_FIREFOX_BYTES);
  gpm_firefox_write_column(p, "stack", &t->allocated, GPM_FIREFOX_STACK);
  fputs("}}", p->f);
  free(name);
  free(id);
}

static void write_threads(struct export *e) {
  fputs("\"threads\":[", e->p.f);
  if (e->p.x->reader->event_chunks) write_events(e);
  write_figure(e, "at each device's peak", GPM_EXPORT_VALUE_at_peak);
  write_figure(e, "allocated", GPM_EXPORT_VALUE_self_alloc);
  write_figure(e, "leaked", GPM_EXPORT_VALUE_leaked);
  for (size_t i = 0; i < e->thread_count; i++) write_thread(e, &e->threads[i]);
  fputs("],\n", e->p.f);
}

/* ---- the rest ---------------------------------------------------------------------------------
 */

static void write_meta(struct export *e) {
  FILE *f = e->p.f;
  const struct gpumemprof_capture_header *h = &e->p.x->reader->header;
  char *command = gpm_export_command(e->p.x);
  fputs("{\"meta\":{\"preprocessedProfileVersion\":63,\"version\":31,\"product\":", f);
  gpm_export_quote(f, command);
  fputs(",\"importedFrom\":\"gpumemprof " GPM_VERSION "\",\"stackwalk\":1,\"processType\":0,"
        "\"startTime\":",
        f);
  gpm_firefox_write_ms(f, h->start_realtime_ns);
  fputs(",\"interval\":", f);
  gpm_firefox_write_ms(f, e->interval_ns);
  fputs(",\"profilingStartTime\":0,\"profilingEndTime\":", f);
  gpm_firefox_write_ms(f, e->end_ns + e->interval_ns);
  fputs(",\"symbolicated\":true,\"symbolicationNotSupported\":true,\"usesOnlyOneStackType\":true,"
        "\"sourceCodeIsNotOnSearchfox\":true,\"keepProfileThreadOrder\":true,"
        "\"initialSelectedThreads\":[0],\"initialVisibleThreads\":[",
        f);
  size_t most = (e->p.x->reader->event_chunks ? 4 : 3) + e->thread_count;
  for (size_t i = 0; i < most && i < MOST_SHOWN; i++) fprintf(f, "%s%zu", i ? "," : "", i);
  fputs("],\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}"
        ",{\"name\":\"known functions\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}],\n",
        f);
  gpm_firefox_write_schemas(f);
  fputs("},\n\"libs\":[],\n", f);
  free(command);
}

static void write_counter(struct export *e, uint32_t device, const char *comma) {
  static const char *const colors[] = {"orange", "blue", "green", "purple", "teal", "magenta"};
  struct gpm_firefox *p = &e->p;
  const struct gpm_spool_list *list = &e->live[device];
  char *name = gpm_locations_device(p->x->reader, device);
  fprintf(p->f,
          "%s{\"name\":\"%s\",\"category\":\"Memory\",\"description\":\"live bytes\","
          "\"pid\":\"%" PRIu64 "\",\"mainThreadIndex\":0,\n\"display\":{\"graphType\":"
          "\"line-accumulated\",\"unit\":\"bytes\",\"color\":\"%s\",\"markerSchemaLocation\":"
          "\"timeline-memory\",\"sortWeight\":20,\"label\":\"%s: live bytes\",\"tooltipRows\":["
          "{\"type\":\"value\",\"source\":\"accumulated\",\"format\":{\"unit\":\"bytes\"},"
          "\"label\":\"live\"},{\"type\":\"value\",\"source\":\"count-range\",\"format\":"
          "{\"unit\":\"bytes\"},\"label\":\"from the lowest to the highest in the graph\"}]},"
          "\n\"samples\":{\"length\":%" PRIu64,
          comma, name, p->x->reader->header.pid, colors[device % (sizeof colors / sizeof *colors)],
          name, list->count);
  gpm_firefox_write_column(p, "time", list, GPM_FIREFOX_TIME);
  gpm_firefox_write_column(p, "count", list, GPM_FIREFOX_CHANGE);
  fputs("}}", p->f);
  free(name);
}

static void write_counters(struct export *e) {
  const char *comma = "\n";
  fputs("\"counters\":[", e->p.f);
  for (uint32_t i = 0; i < e->p.x->reader->device_count; i++) {
    if (!e->live[i].count) continue;
    write_counter(e, i, comma);
    comma = ",\n";
  }
  fputs("],\n", e->p.f);
}

static void free_lists(struct export *e) {
  for (size_t i = 0; i < e->thread_count; i++) gpm_spool_free(&e->threads[i].allocated);
  for (uint32_t i = 0; i < e->p.x->reader->device_count; i++) gpm_spool_free(&e->live[i]);
  gpm_spool_free(&e->events);
  gpm_spool_free(&e->markers);
  gpm_map_free(&e->thread_of);
  free(e->threads);
  free(e->live);
}

bool gpm_export_firefox(const struct gpm_export *x) {
  struct export e = {.p = {.x = x, .f = x->file}};
  if (!gpm_spool_open(&e.p.spool)) return false;
  e.live = gpm_memory_array(x->reader->device_count, sizeof *e.live);
  bool ok = read_events(&e);
  uint64_t run_ns = gpm_reader_time_ns(x->reader, x->reader->header.last_ticks);
  if (run_ns > e.end_ns) e.end_ns = run_ns;
  add_last_values(&e);
  e.interval_ns = e.end_ns / 1000 + 1; /* about a pixel of the viewer's tracks */
  gpm_firefox_number_stacks(&e.p);
  write_meta(&e);
  write_counters(&e);
  write_threads(&e);
  gpm_firefox_write_shared(&e.p);
  fputs("}\n", x->file);
  ok = ok && !e.p.spool.failed;
  free_lists(&e);
  free(e.p.stack);
  gpm_words_free(&e.p.strings);
  gpm_spool_close(&e.p.spool);
  return ok;
}
