/* perfetto.h - packets of a trace in Perfetto's own format: what export_perfetto.c (events) and
 * perfetto_heaps.c (live memory by call path) write. The field numbers are those of Perfetto's
 * trace_packet.proto and the files it imports.
 *
 * All packets belong to one sequence: what one packet interned, later packets refer to by number.
 * Sequence and tracks are numbered by program and start, so that files of several processes of a
 * machine can be concatenated, which is how such traces are merged.
 */
#ifndef GPM_TOOLS_PERFETTO_H
#define GPM_TOOLS_PERFETTO_H

#include "encoding/protobuf.h"
#include "export/export.h"

struct gpm_perfetto {
  const struct gpm_export *x;
  uint64_t run;                          /* identifies the program and its start */
  struct gpm_protobuf packet;            /* the packet that perfetto.c is building */
  struct gpm_protobuf interned, message; /* of the next packet */
  struct gpm_protobuf inner;             /* a message within one of these */
  uint8_t *frame_known; /* by frame: whether its text was interned, under its number + 1 */
};

enum gpm_perfetto_packet { /* fields of TracePacket: the type of `message` */
                           GPM_PERFETTO_NOTHING = 0,
                           GPM_PERFETTO_TRACK_EVENT = 11,
                           GPM_PERFETTO_PROFILE = 37,
                           GPM_PERFETTO_TRACK_DESCRIPTOR = 60
};
enum gpm_perfetto_interned { /* InternedData */
                             GPM_PERFETTO_EVENT_NAME = 2,
                             GPM_PERFETTO_ANNOTATION_NAME = 3,
                             GPM_PERFETTO_LOCATION = 4,
                             GPM_PERFETTO_FUNCTION_NAME = 5,
                             GPM_PERFETTO_FRAME = 6,
                             GPM_PERFETTO_CALLSTACK = 7,
                             GPM_PERFETTO_MAPPING_PATH = 17,
                             GPM_PERFETTO_SOURCE_PATH = 18,
                             GPM_PERFETTO_MAPPING = 19,
                             GPM_PERFETTO_ANNOTATION_TEXT = 29
};

/* The names of the annotations of an event. */
#define GPM_PERFETTO_ANNOTATIONS(name)                                                             \
  name(BYTES, "bytes") name(KIND, "kind") name(ADDRESS, "address") name(ON, "thread")              \
      name(LABEL, "label") name(AT, "at") name(ALLOCATED, "allocated at") name(FREED, "freed at")  \
          name(FREE_FAILED, "free failed at") name(PHASE, "phase") name(CYCLE, "cycle")            \
              name(LIVE, "live bytes")
enum gpm_perfetto_annotation {
  GPM_PERFETTO_NO_ANNOTATION,
#define NAME(WORD, text) GPM_PERFETTO_##WORD,
  GPM_PERFETTO_ANNOTATIONS(NAME)
#undef NAME
};
enum gpm_perfetto_value { GPM_PERFETTO_UINT = 3, GPM_PERFETTO_POINTER = 7 }; /* DebugAnnotation */

/* The time of a packet that has none. */
#define GPM_PERFETTO_TIMELESS UINT64_MAX

/* Writes the first packet of the sequence: the clocks, and the flag that nothing was interned
 * before. */
void gpm_perfetto_start(struct gpm_perfetto *p, const struct gpm_export *x);
void gpm_perfetto_free(struct gpm_perfetto *p);
/* Moves `inner` into a field of `message`. */
void gpm_perfetto_add(struct gpm_perfetto *p, unsigned field);
/* Moves `inner` into `interned`. The numbers of interned data begin at 1 for each type. */
void gpm_perfetto_intern(struct gpm_perfetto *p, enum gpm_perfetto_interned type);
void gpm_perfetto_intern_text(struct gpm_perfetto *p, enum gpm_perfetto_interned type,
                              uint64_t number, const char *text);
/* Adds an annotation to the event in `message`. */
void gpm_perfetto_annotate(struct gpm_perfetto *p, enum gpm_perfetto_annotation name,
                           enum gpm_perfetto_value type, uint64_t value);
void gpm_perfetto_annotate_text(struct gpm_perfetto *p, enum gpm_perfetto_annotation name,
                                const char *text);
/* Adds the annotation "step (main.c:11)" of a node. The text is interned. */
void gpm_perfetto_annotate_location(struct gpm_perfetto *p, enum gpm_perfetto_annotation name,
                                    uint32_t node);
/* Writes a packet with `message` and `interned`. Its time is `ns` after the program's start. */
void gpm_perfetto_write(struct gpm_perfetto *p, enum gpm_perfetto_packet what, uint64_t ns);
/* Converts nanoseconds after the program's start into CLOCK_MONOTONIC. */
uint64_t gpm_perfetto_time(const struct gpm_perfetto *p, uint64_t ns);

/* perfetto_heaps.c: writes the live memory of each device, at its peak and at the end, as heap
 * profiles, which Perfetto draws as flame graphs. */
void gpm_perfetto_heaps(struct gpm_perfetto *p);

#endif
