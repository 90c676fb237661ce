/* perfetto.c - see perfetto.h. */
#include "export/perfetto.h"

#include "support/map.h"

#include <stdlib.h>

enum { PACKET = 1 }; /* Trace */
enum { TIMESTAMP = 8, SEQUENCE = 10, INTERNED = 12, FLAGS = 13, DEFAULTS = 59, FIRST = 87 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };                /* FLAGS */
enum { REALTIME = 1, MONOTONIC = 3, MONOTONIC_COARSE = 4 }; /* BuiltinClock */

static uint64_t sequence_of(const struct gpm_perfetto *p) {
  return (uint32_t)p->run | 1u;
}

static void move(struct gpm_protobuf *to, unsigned field, struct gpm_protobuf *from) {
  gpm_protobuf_message(to, field, from);
  from->length = 0;
}

void gpm_perfetto_add(struct gpm_perfetto *p, unsigned field) {
  move(&p->message, field, &p->inner);
}

void gpm_perfetto_intern(struct gpm_perfetto *p, enum gpm_perfetto_interned type) {
  move(&p->interned, type, &p->inner);
}

void gpm_perfetto_intern_text(struct gpm_perfetto *p, enum gpm_perfetto_interned type,
                              uint64_t number, const char *text) {
  gpm_protobuf_value(&p->inner, 1, number);
  gpm_protobuf_text(&p->inner, 2, text);
  gpm_perfetto_intern(p, type);
}

uint64_t gpm_perfetto_time(const struct gpm_perfetto *p, uint64_t ns) {
  return p->x->reader->header.first_ns + ns;
}

void gpm_perfetto_write(struct gpm_perfetto *p, enum gpm_perfetto_packet what, uint64_t ns) {
  if (ns != GPM_PERFETTO_TIMELESS)
    gpm_protobuf_value(&p->packet, TIMESTAMP, gpm_perfetto_time(p, ns));
  gpm_protobuf_value(&p->packet, SEQUENCE, sequence_of(p));
  gpm_protobuf_value(&p->packet, FLAGS, NEEDS_STATE);
  if (p->interned.length) move(&p->packet, INTERNED, &p->interned);
  if (what) move(&p->packet, what, &p->message);
  gpm_protobuf_write(p->x->file, PACKET, &p->packet);
}

static void add_annotation(struct gpm_perfetto *p, enum gpm_perfetto_annotation name) {
  enum { NAME_ID = 1, ANNOTATIONS = 4 };
  gpm_protobuf_value(&p->inner, NAME_ID, name);
  gpm_perfetto_add(p, ANNOTATIONS);
}

void gpm_perfetto_annotate(struct gpm_perfetto *p, enum gpm_perfetto_annotation name,
                           enum gpm_perfetto_value type, uint64_t value) {
  gpm_protobuf_value(&p->inner, type, value);
  add_annotation(p, name);
}

void gpm_perfetto_annotate_text(struct gpm_perfetto *p, enum gpm_perfetto_annotation name,
                                const char *text) {
  enum { TEXT = 6 };
  gpm_protobuf_text(&p->inner, TEXT, text);
  add_annotation(p, name);
}

void gpm_perfetto_annotate_location(struct gpm_perfetto *p, enum gpm_perfetto_annotation name,
                                    uint32_t node) {
  enum { INTERNED_TEXT = 17 };
  uint32_t frame = gpm_frames_innermost(p->x->frames, node);
  if (!p->frame_known[frame]) {
    p->frame_known[frame] = true;
    char *text = gpm_frames_text(p->x->frames, frame);
    gpm_perfetto_intern_text(p, GPM_PERFETTO_ANNOTATION_TEXT, frame + 1u, text);
    free(text);
  }
  gpm_protobuf_value(&p->inner, INTERNED_TEXT, frame + 1u);
  add_annotation(p, name);
}

/* Writes the time of one moment on several clocks, because traces of other programs may use any of
 * them. */
static void add_clocks(struct gpm_perfetto *p) {
  enum { CLOCK_SNAPSHOT = 6, CLOCKS = 1, PRIMARY = 2, ID = 1, NS = 2 };
  const struct gpumemprof_capture_header *h = &p->x->reader->header;
  const uint64_t clocks[][2] = {
      {MONOTONIC, h->first_ns}, {MONOTONIC_COARSE, h->first_ns}, {REALTIME, h->start_realtime_ns}};
  for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
    gpm_protobuf_value(&p->inner, ID, clocks[i][0]);
    gpm_protobuf_value(&p->inner, NS, clocks[i][1]);
    gpm_perfetto_add(p, CLOCKS);
  }
  gpm_protobuf_value(&p->message, PRIMARY, MONOTONIC);
  move(&p->packet, CLOCK_SNAPSHOT, &p->message);
}

void gpm_perfetto_start(struct gpm_perfetto *p, const struct gpm_export *x) {
  enum { CLOCK_ID = 58 };
  const struct gpumemprof_capture_header *h = &x->reader->header;
  *p = (struct gpm_perfetto){.x = x, .run = gpm_map_mix(h->start_realtime_ns ^ h->pid << 32)};
  p->frame_known = gpm_memory_array(x->frames->keys.count, 1);
  gpm_protobuf_value(&p->packet, SEQUENCE, sequence_of(p));
  gpm_protobuf_value(&p->packet, FLAGS, STATE_CLEARED);
  gpm_protobuf_value(&p->packet, FIRST, 1);
  gpm_protobuf_value(&p->inner, CLOCK_ID, MONOTONIC);
  move(&p->packet, DEFAULTS, &p->inner);
#define NAME(WORD, text)                                                                           \
  gpm_perfetto_intern_text(p, GPM_PERFETTO_ANNOTATION_NAME, GPM_PERFETTO_##WORD, text);
  GPM_PERFETTO_ANNOTATIONS(NAME)
#undef NAME
  move(&p->packet, INTERNED, &p->interned);
  add_clocks(p);
  gpm_protobuf_write(x->file, PACKET, &p->packet);
}

void gpm_perfetto_free(struct gpm_perfetto *p) {
  gpm_protobuf_free(&p->packet);
  gpm_protobuf_free(&p->interned);
  gpm_protobuf_free(&p->message);
  gpm_protobuf_free(&p->inner);
  free(p->frame_known);
}
