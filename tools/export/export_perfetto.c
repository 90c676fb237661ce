/* export_perfetto.c - writes a trace in Perfetto's own format, a stream of packets.
 *
 *   the process
 *     GPU 0, host, ...    counters of live bytes, in all and of each kind; blocks, each from
 *                         allocation to free, in as many lanes as were live at once
 *     thread 0, 1, ...    its scopes, nested; failures on it
 *     marks, steps        moments
 *
 * A scope begins with the first event in it (trace.h). Threads are written as tracks of the process
 * and not as Perfetto's threads, because the capture does not have the system's thread IDs. Times
 * are those of CLOCK_MONOTONIC, so that traces of the same machine can be combined.
 */
#include "export/clean_text.h"
#include "export/export.h"
#include "export/perfetto.h"

#include "events/trace.h"
#include "rows/locations.h"
#include "support/map.h"

#include <inttypes.h>
#include <stdlib.h>

enum track { PROCESS = 1, DEVICE, COUNTER, THREAD, LANE, MARKS, STEPS };
enum event_type { BEGIN = 1, END, INSTANT, COUNT };
enum { BY_RANK = 3 }; /* TrackDescriptor.ChildTracksOrdering */

struct lanes { /* lanes of a device; each lane shows one block at a time */
  uint32_t *free_ones;
  size_t free_count, room;
};

struct perfetto {
  struct gpm_perfetto p;
  struct gpm_map lane_of; /* the lane of a live block, by its address in the history */
  struct lanes *lanes;    /* by device */
  uint64_t *lane_ns;      /* by lane: its latest time stamp */
  size_t lane_count, lane_room;
  struct gpm_map known; /* the tracks that were already described, by number */
  uint8_t *site_known;  /* by site: whether it was interned, under its number + 1 */
};

/* ---- tracks -----------------------------------------------------------------------------------
 */

static uint64_t track_id(const struct perfetto *c, enum track track, uint64_t number) {
  return gpm_map_mix(c->p.run + ((uint64_t)track << 56) + number) | 1;
}

enum { BEHIND_COUNTERS = 100, BEHIND_DEVICES = 1000, BEHIND_MOMENTS = 2000 }; /* ranks */
enum { UUID = 1, TRACK_NAME, PROCESS_OF, PARENT = 5, COUNTER_OF = 8, ORDER = 11, RANK };

/* Returns whether a track still has to be described, and marks it as described. */
static bool is_new(struct perfetto *c, uint64_t id) {
  uint64_t *known = gpm_map_at(&c->known, id, 0), before = *known;
  *known = 1;
  return !before;
}

/* Begins the description of a track; `rank` orders the tracks of a parent. */
static void describe(struct perfetto *c, uint64_t id, uint64_t parent, uint32_t rank,
                     const char *name) {
  gpm_protobuf_value(&c->p.message, UUID, id);
  gpm_protobuf_value(&c->p.message, PARENT, parent);
  gpm_protobuf_text(&c->p.message, TRACK_NAME, name);
  gpm_protobuf_value(&c->p.message, RANK, rank);
}

static void described(struct perfetto *c) {
  gpm_perfetto_write(&c->p, GPM_PERFETTO_TRACK_DESCRIPTOR, GPM_PERFETTO_TIMELESS);
}

static void describe_process(struct perfetto *c) {
  enum { PID = 1, PROCESS_NAME = 6 };
  char *command = gpm_export_command(c->p.x);
  gpm_protobuf_value(&c->p.inner, PID, c->p.x->reader->header.pid);
  gpm_protobuf_text(&c->p.inner, PROCESS_NAME, command);
  gpm_perfetto_add(&c->p, PROCESS_OF);
  gpm_protobuf_value(&c->p.message, UUID, track_id(c, PROCESS, 0));
  gpm_protobuf_value(&c->p.message, ORDER, BY_RANK);
  described(c);
  free(command);
}

/* Returns a track of the process for marks or steps. */
static uint64_t moments_track(struct perfetto *c, enum track track, const char *name) {
  uint64_t id = track_id(c, track, 0);
  if (!is_new(c, id)) return id;
  describe(c, id, track_id(c, PROCESS, 0), BEHIND_DEVICES + track, name);
  described(c);
  return id;
}

static uint64_t device_track(struct perfetto *c, uint32_t device) {
  uint64_t id = track_id(c, DEVICE, device);
  if (!is_new(c, id)) return id;
  char *name = gpm_locations_device(c->p.x->reader, device);
  describe(c, id, track_id(c, PROCESS, 0), device, name);
  gpm_protobuf_value(&c->p.message, ORDER, BY_RANK);
  described(c);
  free(name);
  return id;
}

static uint64_t counter_track(struct perfetto *c, uint32_t device, uint32_t kind) {
  enum { UNIT = 3, SIZE_BYTES = 3 };
  bool all = kind == GPM_ALL_KINDS;
  uint32_t rank = all ? 0 : kind + 1;
  uint64_t id = track_id(c, COUNTER, (uint64_t)device << 8 | rank);
  if (!is_new(c, id)) return id;
  uint64_t parent = device_track(c, device);
  char *of = gpm_locations_device(c->p.x->reader, device);
  char *name = gpm_memory_format("%s: %s%slive bytes", of, all ? "" : gpm_locations_kind(kind),
                                 all ? "" : ", ");
  describe(c, id, parent, rank, name);
  gpm_protobuf_value(&c->p.inner, UNIT, SIZE_BYTES);
  gpm_perfetto_add(&c->p, COUNTER_OF);
  described(c);
  free(name);
  free(of);
  return id;
}

static uint64_t lane_track(struct perfetto *c, uint32_t device, uint64_t lane) {
  uint64_t id = track_id(c, LANE, lane);
  if (!is_new(c, id)) return id;
  describe(c, id, device_track(c, device), BEHIND_COUNTERS, "blocks");
  described(c);
  return id;
}

/* ---- events -----------------------------------------------------------------------------------
 */

static void begin(struct perfetto *c, enum event_type type, uint64_t track) {
  enum { TYPE = 9, TRACK = 11 };
  gpm_protobuf_value(&c->p.message, TYPE, type);
  gpm_protobuf_value(&c->p.message, TRACK, track);
}

static void end(struct perfetto *c, uint64_t ns) {
  gpm_perfetto_write(&c->p, GPM_PERFETTO_TRACK_EVENT, ns);
}

/* Writes the name with the event: a name that may differ with each event is not worth interning. */
static void name_it(struct perfetto *c, const char *name) {
  enum { EVENT_NAME = 23 };
  gpm_protobuf_text(&c->p.message, EVENT_NAME, name);
}

/* ---- threads ----------------------------------------------------------------------------------
 */

static void write_thread(void *to, uint32_t thread) {
  struct perfetto *c = to;
  char *name = gpm_memory_format("thread %" PRIu32, thread);
  describe(c, track_id(c, THREAD, thread), track_id(c, PROCESS, 0), BEHIND_MOMENTS + thread, name);
  described(c);
  free(name);
}

static void intern_scope(struct perfetto *c, uint32_t node, uint32_t site) {
  enum { FILE_NAME = 2, FUNCTION, LINE };
  const struct gpm_reader *r = c->p.x->reader;
  const struct gpumemprof_capture_site *s = gpm_reader_site(r, site);
  char *name = gpm_trace_scope(c->p.x->profile, node), *file = gpm_locations_text(r, s->file);
  char *function = gpm_locations_text(r, s->function);
  gpm_perfetto_intern_text(&c->p, GPM_PERFETTO_EVENT_NAME, site + 1u, name);
  gpm_protobuf_value(&c->p.inner, 1, site + 1u);
  gpm_protobuf_text(&c->p.inner, FILE_NAME, file);
  gpm_protobuf_text(&c->p.inner, FUNCTION, function);
  gpm_protobuf_number(&c->p.inner, LINE, s->line);
  gpm_perfetto_intern(&c->p, GPM_PERFETTO_LOCATION);
  free(name);
  free(file);
  free(function);
}

static void open_scope(void *to, uint32_t thread, uint32_t node, uint64_t ns) {
  enum { NAME_ID = 10, LOCATION_ID = 34 };
  struct perfetto *c = to;
  uint32_t site = c->p.x->profile->site[node];
  begin(c, BEGIN, track_id(c, THREAD, thread));
  if (!c->site_known[site]) intern_scope(c, node, site);
  c->site_known[site] = true;
  gpm_protobuf_value(&c->p.message, NAME_ID, site + 1u);
  gpm_protobuf_value(&c->p.message, LOCATION_ID, site + 1u);
  end(c, ns);
}

static void close_scope(void *to, uint32_t thread, uint32_t node, uint64_t ns) {
  struct perfetto *c = to;
  (void)node;
  begin(c, END, track_id(c, THREAD, thread));
  end(c, ns);
}

static void write_failure(void *to, const struct gpm_step *s) {
  struct perfetto *c = to;
  char *name = gpm_trace_failure(s);
  begin(c, INSTANT, track_id(c, THREAD, s->event.thread));
  name_it(c, name);
  gpm_perfetto_annotate(&c->p, GPM_PERFETTO_BYTES, GPM_PERFETTO_UINT, s->event.bytes);
  gpm_perfetto_annotate_location(&c->p, GPM_PERFETTO_AT, s->node);
  end(c, s->time_ns);
  free(name);
}

static void write_mark(void *to, const char *name, uint32_t thread, uint64_t ns) {
  struct perfetto *c = to;
  begin(c, INSTANT, moments_track(c, MARKS, "marks"));
  name_it(c, name);
  gpm_perfetto_annotate(&c->p, GPM_PERFETTO_ON, GPM_PERFETTO_UINT, thread);
  end(c, ns);
}

static void write_boundary(void *to, const struct gpumemprof_capture_step *step, uint64_t number,
                           uint64_t ns) {
  struct perfetto *c = to;
  char *name = gpm_memory_format("step %" PRIu64, number);
  begin(c, INSTANT, moments_track(c, STEPS, "steps"));
  name_it(c, name);
  gpm_perfetto_annotate(&c->p, GPM_PERFETTO_LIVE, GPM_PERFETTO_UINT, step->live);
  if (step->phase)
    gpm_perfetto_annotate_text(&c->p, GPM_PERFETTO_PHASE, gpm_trace_phase(step->phase));
  if (step->cycle) gpm_perfetto_annotate(&c->p, GPM_PERFETTO_CYCLE, GPM_PERFETTO_UINT, step->cycle);
  end(c, ns);
  free(name);
}

/* ---- devices ----------------------------------------------------------------------------------
 */

static void write_live(void *to, uint32_t device, uint32_t kind, uint64_t bytes, uint64_t ns) {
  enum { COUNTER_VALUE = 30 };
  struct perfetto *c = to;
  begin(c, COUNT, counter_track(c, device, kind));
  gpm_protobuf_value(&c->p.message, COUNTER_VALUE, bytes);
  end(c, ns);
}

/* Returns a lane of the device that no live block uses. */
static uint32_t take_lane(struct perfetto *c, uint32_t device) {
  struct lanes *l = &c->lanes[device];
  if (l->free_count) return l->free_ones[--l->free_count];
  if (c->lane_count == c->lane_room) {
    c->lane_room = c->lane_room ? c->lane_room * 2 : 64;
    c->lane_ns = gpm_memory_resize(c->lane_ns, c->lane_room, sizeof *c->lane_ns);
  }
  c->lane_ns[c->lane_count] = 0;
  return (uint32_t)c->lane_count++;
}

static void give_lane(struct perfetto *c, uint32_t device, uint32_t lane) {
  struct lanes *l = &c->lanes[device];
  if (l->free_count == l->room) {
    l->room = l->room ? l->room * 2 : 16;
    l->free_ones = gpm_memory_resize(l->free_ones, l->room, sizeof *l->free_ones);
  }
  l->free_ones[l->free_count++] = lane;
}

static void write_block(void *to, const struct gpm_step *s, bool ends) {
  struct perfetto *c = to;
  const struct gpm_walk_block *b = s->block;
  const struct gpumemprof_capture_cell *cell = gpm_reader_record(&c->p.x->reader->cells, b->cell);
  uint64_t *lane = gpm_map_at(&c->lane_of, b->address, 0);
  if (!ends) *lane = take_lane(c, b->device);
  uint64_t *latest = &c->lane_ns[*lane];
  if (s->time_ns > *latest) *latest = s->time_ns; /* threads' time stamps may cross */
  begin(c, ends ? END : BEGIN, lane_track(c, b->device, *lane));
  if (ends) {
    gpm_perfetto_annotate_location(&c->p, GPM_PERFETTO_FREED, s->node);
    give_lane(c, b->device, (uint32_t)*lane);
  } else {
    char *name = gpm_trace_block(c->p.x->profile, b),
         *label = gpm_locations_text(c->p.x->reader, cell->label);
    name_it(c, name);
    gpm_perfetto_annotate(&c->p, GPM_PERFETTO_BYTES, GPM_PERFETTO_UINT, b->bytes);
    gpm_perfetto_annotate_text(&c->p, GPM_PERFETTO_KIND, gpm_locations_kind(s->kind));
    gpm_perfetto_annotate(&c->p, GPM_PERFETTO_ADDRESS, GPM_PERFETTO_POINTER,
                          gpm_walk_address(b->address));
    gpm_perfetto_annotate(&c->p, GPM_PERFETTO_ON, GPM_PERFETTO_UINT, s->event.thread);
    if (*label) gpm_perfetto_annotate_text(&c->p, GPM_PERFETTO_LABEL, label);
    gpm_perfetto_annotate_location(&c->p,
                                   s->event.kind == GPM_EVENT_TAKEN_BACK ? GPM_PERFETTO_FREE_FAILED
                                                                         : GPM_PERFETTO_ALLOCATED,
                                   s->node);
    free(name);
    free(label);
  }
  end(c, *latest);
}

/* ---- the whole --------------------------------------------------------------------------------
 */

bool gpm_export_perfetto(const struct gpm_export *x) {
  static const struct gpm_trace_calls calls = {.thread = write_thread,
                                               .open = open_scope,
                                               .close = close_scope,
                                               .block = write_block,
                                               .failure = write_failure,
                                               .mark = write_mark,
                                               .boundary = write_boundary,
                                               .live = write_live,
                                               .kinds = true};
  struct perfetto c = {.lane_count = 0};
  gpm_perfetto_start(&c.p, x);
  c.lanes = gpm_memory_array(x->reader->device_count, sizeof *c.lanes);
  c.site_known = gpm_memory_array(x->reader->sites.count, 1);
  describe_process(&c);
  bool ok = gpm_trace(x->reader, x->profile, &calls, &c);
  if (ok) gpm_perfetto_heaps(&c.p);
  for (uint32_t i = 0; i < x->reader->device_count; i++) free(c.lanes[i].free_ones);
  free(c.lanes);
  free(c.lane_ns);
  free(c.site_known);
  gpm_map_free(&c.lane_of);
  gpm_map_free(&c.known);
  gpm_perfetto_free(&c.p);
  return ok;
}
