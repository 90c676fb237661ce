/* perfetto_heaps.c - writes the live memory of each device as Perfetto's heap profiles: one at its
 * peak and one at the end, with a sample for each call path.
 *
 * Each call path is interned in a packet of its own, so that the tool's memory does not grow with
 * the depth of the paths.
 */
#include "export/path_sums.h"
#include "export/perfetto.h"

#include "rows/locations.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

enum { THE_MAPPING = 1 };

struct sums { /* the sums of a call path on the device that is being written */
  uint64_t allocated, freed, blocks, freed_blocks, at_peak, blocks_at_peak;
};

static void intern_frames(struct gpm_perfetto *p) {
  enum { MAPPING_PATH_ID = 7, NAME_ID = 2, MAPPING_ID, ADDRESS, SOURCE_PATH_ID, LINE };
  const struct gpm_frames *frames = p->x->frames;
  char *program = gpm_text_clean(p->x->reader->header.executable);
  gpm_perfetto_intern_text(p, GPM_PERFETTO_MAPPING_PATH, THE_MAPPING, program);
  free(program);
  gpm_protobuf_value(&p->inner, 1, THE_MAPPING);
  gpm_protobuf_value(&p->inner, MAPPING_PATH_ID, THE_MAPPING);
  gpm_perfetto_intern(p, GPM_PERFETTO_MAPPING);
  for (uint32_t i = 0; i < frames->keys.count; i++) {
    char *text = gpm_frames_text(frames, i), *file = gpm_frames_file(frames, i);
    gpm_perfetto_intern_text(p, GPM_PERFETTO_FUNCTION_NAME, i + 1u, text);
    gpm_perfetto_intern_text(p, GPM_PERFETTO_SOURCE_PATH, i + 1u, file);
    gpm_protobuf_value(&p->inner, 1, i + 1u);
    gpm_protobuf_value(&p->inner, NAME_ID, i + 1u);
    gpm_protobuf_value(&p->inner, MAPPING_ID, THE_MAPPING);
    gpm_protobuf_value(&p->inner, ADDRESS, i + 1u); /* equal addresses are one frame */
    gpm_protobuf_value(&p->inner, SOURCE_PATH_ID, i + 1u);
    gpm_protobuf_number(&p->inner, LINE, gpm_frames_line(frames, i));
    gpm_perfetto_intern(p, GPM_PERFETTO_FRAME);
    gpm_perfetto_write(p, GPM_PERFETTO_NOTHING, GPM_PERFETTO_TIMELESS);
    free(text);
    free(file);
  }
}

static void intern_path(struct gpm_perfetto *p, uint32_t node) {
  enum { FRAME_ID = 2 };
  gpm_protobuf_value(&p->inner, 1, node + 1u);
  for (uint32_t i = gpm_frames_path(p->x->frames, node); i-- > 0;)
    gpm_protobuf_value(&p->inner, FRAME_ID, p->x->frames->stack[i] + 1u);
  gpm_perfetto_intern(p, GPM_PERFETTO_CALLSTACK);
  gpm_perfetto_write(p, GPM_PERFETTO_NOTHING, GPM_PERFETTO_TIMELESS);
}

/* Adds up the sums of one device, and interns new call paths. Returns whether there is any
 * memory. */
static bool add_up(struct gpm_perfetto *p, uint32_t device, struct sums *sums, uint8_t *known) {
  const struct gpm_profile *profile = p->x->profile;
  bool any = false;
  memset(sums, 0, profile->node_count * sizeof *sums);
  struct gpm_cursor cells = {.records = &p->x->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));) {
    if (c->device != device || !profile->cell_shown[cells.number]) continue;
    struct sums *s = &sums[c->node];
    s->allocated += c->allocated.bytes;
    s->freed += c->freed.bytes;
    s->blocks += c->allocated.blocks;
    s->freed_blocks += c->freed.blocks;
    s->at_peak += gpm_profile_at_peak(p->x->reader, c);
    s->blocks_at_peak += gpm_export_blocks_at_peak(p->x, c);
    any = true;
    if (known[c->node]) continue;
    known[c->node] = true;
    intern_path(p, c->node);
  }
  return any;
}

enum {
  CALLSTACK = 1,
  ALLOCATED,
  FREED,
  ALLOC_COUNT = 5,
  FREE_COUNT,
  MAX = 8,
  MAX_COUNT
}; /* HeapSample */

/* Returns false if the call path had nothing at the peak. */
static bool add_at_peak(struct gpm_protobuf *sample, const struct sums *s) {
  if (!s->blocks_at_peak) return false;
  gpm_protobuf_value(sample, MAX, s->at_peak);
  gpm_protobuf_value(sample, MAX_COUNT, s->blocks_at_peak);
  return true;
}

static bool add_at_end(struct gpm_protobuf *sample, const struct sums *s) {
  if (!s->blocks) return false;
  gpm_protobuf_value(sample, ALLOCATED, s->allocated);
  gpm_protobuf_value(sample, FREED, s->freed);
  gpm_protobuf_value(sample, ALLOC_COUNT, s->blocks);
  gpm_protobuf_value(sample, FREE_COUNT, s->freed_blocks);
  return true;
}

static uint64_t end_of(const struct gpm_perfetto *p) {
  return p->x->reader->header.last_ns - p->x->reader->header.first_ns;
}

/* Writes a heap profile of the moment `ns`. The packets of all profiles have the time of the end,
 * so that they stay in the order of their numbers. */
static void write_heap(struct gpm_perfetto *p, const char *name, uint64_t ns, uint64_t number,
                       const struct sums *sums,
                       bool (*add)(struct gpm_protobuf *sample, const struct sums *s)) {
  enum { DUMPS = 5, INDEX = 7 };
  enum { PID = 1, SAMPLES, FROM_START, TIME = 9, HEAP_NAME = 11, INTERVAL, ASKED_INTERVAL };
  struct gpm_protobuf sample = {0};
  gpm_protobuf_value(&p->inner, PID, p->x->reader->header.pid);
  gpm_protobuf_value(&p->inner, FROM_START, 1);
  gpm_protobuf_value(&p->inner, TIME, gpm_perfetto_time(p, ns));
  gpm_protobuf_text(&p->inner, HEAP_NAME, name);
  gpm_protobuf_value(&p->inner, INTERVAL, 1); /* every event was recorded, not a sample of them */
  gpm_protobuf_value(&p->inner, ASKED_INTERVAL, 1);
  for (uint32_t n = 0; n < p->x->profile->node_count; n++) {
    if (!add(&sample, &sums[n])) continue;
    gpm_protobuf_value(&sample, CALLSTACK, n + 1u);
    gpm_protobuf_message(&p->inner, SAMPLES, &sample);
    sample.length = 0;
  }
  gpm_perfetto_add(p, DUMPS);
  gpm_protobuf_value(&p->message, INDEX, number);
  gpm_perfetto_write(p, GPM_PERFETTO_PROFILE, end_of(p));
  gpm_protobuf_free(&sample);
}

void gpm_perfetto_heaps(struct gpm_perfetto *p) {
  const struct gpm_reader *r = p->x->reader;
  uint64_t number = 0;
  struct sums *sums = gpm_memory_array(p->x->profile->node_count, sizeof *sums);
  uint8_t *known = gpm_memory_array(p->x->profile->node_count, 1);
  intern_frames(p);
  for (uint32_t i = 0; i < r->device_count; i++) {
    if (!add_up(p, i, sums, known)) continue;
    char *name = gpm_locations_device(r, i), *at_peak = gpm_memory_format("%s at its peak", name);
    write_heap(p, at_peak, gpm_reader_time_ns(r, r->devices[i].peak_ticks), number++, sums,
               add_at_peak);
    write_heap(p, name, end_of(p), number++, sums, add_at_end);
    free(name);
    free(at_peak);
  }
  free(known);
  free(sums);
}
