/* list_facts.c - lists of the records of a capture: the capture itself, devices, counters, steps,
 * marks, samples, and the nodes of the call tree. See list.h. */
#include "read/list.h"

#include "rows/locations.h"
#include "support/text.h"

/* ---- captures ----------------------------------------------------------------------------------
 */

static const struct gpm_list_column of_captures[] = {
    {"capture", "the file", GPUMEMPROF_READ_TEXT},
    {"program", "the file of the program", GPUMEMPROF_READ_TEXT},
    {"command_line", "its arguments", GPUMEMPROF_READ_TEXT},
    {"host", "where it ran", GPUMEMPROF_READ_TEXT},
    {"state", "complete, running, copy, ...: what had become of it", GPUMEMPROF_READ_TEXT},
    {"runtime_version", "version of the runtime that recorded it", GPUMEMPROF_READ_TEXT},
    {"pid", "number of the process", GPUMEMPROF_READ_NUMBER},
    {"rank", "number in its parallel job", GPUMEMPROF_READ_NUMBER},
    {"ranks", "how many processes the job has", GPUMEMPROF_READ_COUNT},
    {"start_realtime_ns", "when it started, of CLOCK_REALTIME", GPUMEMPROF_READ_NS},
    {"duration_ns", "from then to the last that was recorded", GPUMEMPROF_READ_NS},
    {"file_bytes", "size of the file", GPUMEMPROF_READ_BYTES},
    {"has_events", "1: it has events", GPUMEMPROF_READ_FLAG},
    {"complete", "1: figures are those of the whole run", GPUMEMPROF_READ_FLAG},
};

static void add_capture(struct gpumemprof_read_list *l, const struct gpm_reader *r) {
  const struct gpumemprof_capture_header *h = &r->header;
  gpm_list_add(l);
  gpm_list_text(l, 0, gpm_text_clean(r->path));
  gpm_list_text(l, 1, gpm_text_clean(h->executable));
  gpm_list_text(l, 2, gpm_text_clean(h->command_line));
  gpm_list_text(l, 3, gpm_text_clean(h->host));
  gpm_list_text(l, 4, gpm_memory_text(gpm_state_name(gpm_reader_state(r))));
  gpm_list_text(l, 5, gpm_text_clean(h->runtime_version));
  gpm_list_number(l, 6, h->pid);
  if (h->flags & GPUMEMPROF_CAPTURE_RANKED) gpm_list_number(l, 7, h->rank);
  if (h->flags & GPUMEMPROF_CAPTURE_RANKED && h->ranks) gpm_list_number(l, 8, h->ranks);
  gpm_list_number(l, 9, h->start_realtime_ns);
  gpm_list_number(l, 10, gpm_reader_time_ns(r, h->last_ticks));
  gpm_list_number(l, 11, r->file_size);
  gpm_list_number(l, 12, r->event_chunks != 0);
  gpm_list_number(l, 13, gpm_reader_state(r) == GPM_STATE_COMPLETE);
}

struct gpumemprof_read_list *gpm_list_captures(struct gpumemprof_read *reader,
                                               struct gpm_read_capture *capture, int *status) {
  (void)capture, (void)status;
  struct gpumemprof_read_list *l = gpm_list_new(reader, NULL, GPM_LIST_COLUMNS_OF(of_captures));
  for (uint32_t i = 0; i < reader->captures; i++) add_capture(l, reader->capture[i]->reader);
  return l;
}

/* ---- devices -----------------------------------------------------------------------------------
 */

static const struct gpm_list_column of_devices[] = {
    {"device", "GPU 0, or host, imported, custom", GPUMEMPROF_READ_TEXT},
    {"name", "as the driver tells it", GPUMEMPROF_READ_TEXT},
    {"uuid", "GPU-..., where it is known", GPUMEMPROF_READ_TEXT},
    {"ordinal", "of CUDA; below 0: not a GPU", GPUMEMPROF_READ_SIGNED},
    {"peak", "the highest total", GPUMEMPROF_READ_BYTES},
    {"live_at_exit", "what is live now, or was at the end", GPUMEMPROF_READ_BYTES},
    {"memory_total", "of the device", GPUMEMPROF_READ_BYTES},
    {"memory_free", "when it was first seen", GPUMEMPROF_READ_BYTES},
    {"peak_clock", "allocation clock of the event that reached the peak", GPUMEMPROF_READ_NUMBER},
    {"peak_time_ns", "when that was", GPUMEMPROF_READ_NS},
    {"peak_node", "the call that reached it", GPUMEMPROF_READ_NUMBER},
    {"peak_place", "where that is", GPUMEMPROF_READ_TEXT},
};

struct gpumemprof_read_list *gpm_list_devices(struct gpumemprof_read *reader,
                                              struct gpm_read_capture *capture, int *status) {
  (void)status;
  const struct gpm_reader *r = capture->reader;
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_devices));
  for (uint32_t i = 0; i < r->device_count; i++) {
    const struct gpumemprof_capture_device *d = &r->devices[i];
    char uuid[GPM_LOCATIONS_UUID];
    gpm_list_add(l);
    gpm_list_text(l, 0, gpm_locations_device(r, i));
    gpm_list_text(l, 1, gpm_text_clean(d->name));
    gpm_list_text(l, 2, gpm_memory_text(gpm_locations_uuid(r, i, uuid)));
    gpm_list_number(l, 3, (uint64_t)(int64_t)d->ordinal);
    gpm_list_number(l, 4, d->peak);
    gpm_list_number(l, 5, d->total);
    if (d->memory_total) gpm_list_number(l, 6, d->memory_total);
    if (d->memory_free) gpm_list_number(l, 7, d->memory_free);
    if (d->peak) gpm_list_number(l, 8, d->peak_clock);
    if (d->peak) gpm_list_number(l, 9, gpm_reader_time_ns(r, d->peak_ticks));
    gpm_list_location(l, 10, capture->profile, d->peak_node);
  }
  return l;
}

/* ---- counters, steps, marks, samples -----------------------------------------------------------
 */

static const struct gpm_list_column of_counters[] = {
    {"counter", "its name", GPUMEMPROF_READ_TEXT},
    {"text", "what it counts", GPUMEMPROF_READ_TEXT},
    {"count", "how many", GPUMEMPROF_READ_COUNT},
    {"loss", "1: figures are incomplete by it", GPUMEMPROF_READ_FLAG},
};

struct gpumemprof_read_list *gpm_list_counters(struct gpumemprof_read *reader,
                                               struct gpm_read_capture *capture, int *status) {
  static const struct {
    const char *name, *text;
    int class;
  } counters[] = {
#define GPUMEMPROF_COUNTER(name, unit, is_loss, text) {#name, text, is_loss},
#include "gpumemprof/counters.def"
  };
  (void)status;
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_counters));
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
    uint64_t count = capture->reader->header.counters[i];
    if (!count) continue;
    gpm_list_add(l);
    gpm_list_text(l, 0, gpm_memory_text(counters[i].name));
    gpm_list_text(l, 1, gpm_memory_text(counters[i].text));
    gpm_list_number(l, 2, count);
    gpm_list_number(l, 3, counters[i].class == 1);
  }
  return l;
}

static const struct gpm_list_column of_steps[] = {
    {"step", "its number, from 1", GPUMEMPROF_READ_NUMBER},
    {"clock", "allocation clock at its end", GPUMEMPROF_READ_NUMBER},
    {"time_ns", "when it ended", GPUMEMPROF_READ_NS},
    {"live", "device memory of all devices then", GPUMEMPROF_READ_BYTES},
};

struct gpumemprof_read_list *gpm_list_steps(struct gpumemprof_read *reader,
                                            struct gpm_read_capture *capture, int *status) {
  (void)status;
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_steps));
  struct gpm_cursor at = {.records = &capture->reader->steps};
  for (const struct gpumemprof_capture_step *s; (s = gpm_cursor_next(&at));) {
    gpm_list_add(l);
    gpm_list_number(l, 0, at.number + 1);
    gpm_list_number(l, 1, s->clock);
    gpm_list_number(l, 2, gpm_reader_time_ns(capture->reader, s->ticks));
    gpm_list_number(l, 3, s->live);
  }
  return l;
}

static const struct gpm_list_column of_marks[] = {
    {"name", "its name", GPUMEMPROF_READ_TEXT},
    {"clock", "allocation clock then", GPUMEMPROF_READ_NUMBER},
    {"time_ns", "when it was", GPUMEMPROF_READ_NS},
    {"thread", "that named it", GPUMEMPROF_READ_NUMBER},
};

struct gpumemprof_read_list *gpm_list_marks(struct gpumemprof_read *reader,
                                            struct gpm_read_capture *capture, int *status) {
  (void)status;
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_marks));
  struct gpm_cursor at = {.records = &capture->reader->marks};
  for (const struct gpumemprof_capture_mark *m; (m = gpm_cursor_next(&at));) {
    gpm_list_add(l);
    gpm_list_text(l, 0, gpm_locations_text(capture->reader, m->name));
    gpm_list_number(l, 1, m->clock);
    gpm_list_number(l, 2, gpm_reader_time_ns(capture->reader, m->ticks));
    gpm_list_number(l, 3, m->thread);
  }
  return l;
}

static const struct gpm_list_column of_samples[] = {
    {"clock", "allocation clock then", GPUMEMPROF_READ_NUMBER},
    {"time_ns", "when it was", GPUMEMPROF_READ_NS},
    {"device", "row of the list of devices", GPUMEMPROF_READ_NUMBER},
    {"used", "of the device, by anybody; of a pool what it handed out", GPUMEMPROF_READ_BYTES},
    {"total", "size of the device; of a pool what it reserved", GPUMEMPROF_READ_BYTES},
    {"ledger", "recorded as live on the device then", GPUMEMPROF_READ_BYTES},
    {"pool", "number of a pool of CUDA's; not known: it is of the device", GPUMEMPROF_READ_NUMBER},
    {"pools", "reserved by all pools of the device; not known: it is of a pool",
     GPUMEMPROF_READ_BYTES},
    {"rss", "resident memory of the process; not known: not asked", GPUMEMPROF_READ_BYTES},
};

struct gpumemprof_read_list *gpm_list_samples(struct gpumemprof_read *reader,
                                              struct gpm_read_capture *capture, int *status) {
  (void)status;
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_samples));
  struct gpm_cursor at = {.records = &capture->reader->samples};
  for (const struct gpumemprof_capture_sample *s; (s = gpm_cursor_next(&at));) {
    gpm_list_add(l);
    gpm_list_number(l, 0, s->clock);
    gpm_list_number(l, 1, gpm_reader_time_ns(capture->reader, s->ticks));
    gpm_list_number(l, 2, s->device);
    gpm_list_number(l, 3, s->used);
    gpm_list_number(l, 4, s->total);
    gpm_list_number(l, 5, s->ledger);
    bool of_pool = s->pool != GPUMEMPROF_NONE;
    if (of_pool) gpm_list_number(l, 6, s->pool);
    else gpm_list_number(l, 7, s->pools);
    if (s->rss) gpm_list_number(l, 8, s->rss);
  }
  return l;
}

/* ---- nodes -------------------------------------------------------------------------------------
 * Looked up, not kept: there may be many.
 */
enum { PARENT, SCOPE, LINE, FILE_, FUNCTION, BLOCK, CALLEE, LOCATION };
static const struct gpm_list_column of_nodes[] = {
    [PARENT] = {"parent", "the node above; the root, row 0, has none", GPUMEMPROF_READ_NUMBER},
    [SCOPE] = {"scope", "1: a function or block, 0: a call", GPUMEMPROF_READ_FLAG},
    [LINE] = {"line", "line number", GPUMEMPROF_READ_NUMBER},
    [FILE_] = {"file", "source file", GPUMEMPROF_READ_TEXT},
    [FUNCTION] = {"function", "the function it is in", GPUMEMPROF_READ_TEXT},
    [BLOCK] = {"block", "of a block", GPUMEMPROF_READ_TEXT},
    [CALLEE] = {"callee", "what is called there", GPUMEMPROF_READ_TEXT},
    [LOCATION] = {"location", "file:line function", GPUMEMPROF_READ_TEXT},
};

static const struct gpumemprof_capture_site *site_of(const struct gpumemprof_read_list *l,
                                                     uint32_t node) {
  const struct gpm_profile *p = l->data;
  return p->site[node] == GPUMEMPROF_NONE ? NULL : gpm_reader_site(p->reader, p->site[node]);
}

static bool node_number(const struct gpumemprof_read_list *l, uint32_t node, int column,
                        int64_t *number) {
  const struct gpm_profile *p = l->data;
  const struct gpumemprof_capture_site *s = site_of(l, node);
  *number = column == PARENT  ? p->tree.node[node].parent
            : column == SCOPE ? gpm_profile_is_scope(p, node)
                              : (int64_t)(s ? s->line : 0);
  return column == PARENT ? node != 0 : column == SCOPE || *number;
}

static char *node_text(const struct gpumemprof_read_list *l, uint32_t node, int column) {
  const struct gpm_profile *p = l->data;
  const struct gpumemprof_capture_site *s = site_of(l, node);
  if (column == LOCATION) return node ? gpm_locations_node(p, node) : gpm_memory_text("");
  return gpm_locations_text(p->reader, !s                   ? 0
                                       : column == FILE_    ? s->file
                                       : column == FUNCTION ? s->function
                                       : column == BLOCK    ? s->name
                                                            : s->callee);
}

struct gpumemprof_read_list *gpm_list_nodes(struct gpumemprof_read *reader,
                                            struct gpm_read_capture *capture, int *status) {
  (void)status;
  struct gpumemprof_read_list *l = gpm_list_new(reader, capture, GPM_LIST_COLUMNS_OF(of_nodes));
  l->data = capture->profile;
  l->number = node_number;
  l->text = node_text;
  gpm_list_items(l, capture->profile->node_count);
  return l;
}
