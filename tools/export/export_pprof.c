/* export_pprof.c - writes profile.proto, which pprof reads: a sample for each call path, device,
 * kind of memory and label. The field numbers are those of profile.proto.
 *
 * Fields may come in any order, so a text is written where it is first needed, and its number is
 * the count of texts before it. Sample types follow pprof's convention for heaps (objects and
 * space, allocated and in use), but the default one is the peak, because most programs have freed
 * their memory by the end.
 */
#include "export/clean_text.h"
#include "export/export.h"
#include "model/split_cells.h"

#include "encoding/protobuf.h"
#include "rows/locations.h"
#include "support/map.h"
#include "support/text.h"
#include "support/words.h"

enum profile {
  SAMPLE_TYPE = 1,
  SAMPLE,
  MAPPING,
  LOCATION,
  FUNCTION,
  STRING_TABLE,
  TIME_NANOS = 9,
  DURATION_NANOS,
  PERIOD_TYPE,
  PERIOD,
  COMMENT,
  DEFAULT_SAMPLE_TYPE
};
enum { FIGURES = 5 };

struct writer {
  const struct gpm_export *x;
  struct gpm_words texts;
  struct gpm_map functions; /* the ID of a function, by name and file */
  struct gpm_protobuf message, inner;
};

/* Returns the number of a text, and takes ownership of it. */
static uint64_t intern(struct writer *w, char *text) {
  bool fresh;
  uint64_t number = gpm_words_own(&w->texts, text, &fresh);
  if (fresh) gpm_protobuf_write_text(w->x->file, STRING_TABLE, text);
  return number;
}

static uint64_t word(struct writer *w, const char *text) {
  return intern(w, gpm_memory_text(text));
}

static void value_type(struct writer *w, unsigned field, const char *type, const char *unit) {
  gpm_protobuf_number(&w->message, 1, word(w, type));
  gpm_protobuf_number(&w->message, 2, word(w, unit));
  gpm_protobuf_write(w->x->file, field, &w->message);
}

static void write_head(struct writer *w) {
  const struct gpumemprof_capture_header *h = &w->x->reader->header;
  FILE *f = w->x->file;
  word(w, ""); /* the first text has to be "" */
  value_type(w, SAMPLE_TYPE, "alloc_objects", "count");
  value_type(w, SAMPLE_TYPE, "alloc_space", "bytes");
  value_type(w, SAMPLE_TYPE, "inuse_objects", "count");
  value_type(w, SAMPLE_TYPE, "inuse_space", "bytes");
  value_type(w, SAMPLE_TYPE, "peak_space", "bytes");
  value_type(w, PERIOD_TYPE, "space", "bytes");
  gpm_protobuf_write_number(f, PERIOD, 1); /* every event was recorded, not a sample of them */
  gpm_protobuf_write_number(f, DEFAULT_SAMPLE_TYPE, word(w, "peak_space"));
  gpm_protobuf_write_number(f, TIME_NANOS, h->start_realtime_ns);
  if (h->last_ns > h->first_ns)
    gpm_protobuf_write_number(f, DURATION_NANOS, h->last_ns - h->first_ns);
  gpm_protobuf_write_number(f, COMMENT, intern(w, gpm_export_command(w->x)));
  /* Writes a mapping that claims to have all names: otherwise pprof would look for the program to
   * resolve addresses. */
  enum { ID = 1, FILENAME = 5, HAS_FUNCTIONS = 7, HAS_FILENAMES, HAS_LINES, HAS_INLINED };
  gpm_protobuf_number(&w->message, ID, 1);
  gpm_protobuf_number(&w->message, FILENAME, intern(w, gpm_text_clean(h->executable)));
  for (unsigned has = HAS_FUNCTIONS; has <= HAS_INLINED; has++)
    gpm_protobuf_number(&w->message, has, 1);
  gpm_protobuf_write(f, MAPPING, &w->message);
}

static uint64_t function_of(struct writer *w, uint32_t frame) {
  uint64_t name = intern(w, gpm_frames_function(w->x->frames, frame));
  uint64_t file = intern(w, gpm_frames_file(w->x->frames, frame));
  uint64_t fresh = w->functions.count + 1;
  uint64_t id = *gpm_map_at(&w->functions, name << 32 | file, fresh);
  if (id != fresh) return id;
  enum { ID = 1, NAME, SYSTEM_NAME, FILENAME };
  gpm_protobuf_number(&w->message, ID, id);
  gpm_protobuf_number(&w->message, NAME, name);
  gpm_protobuf_number(&w->message, SYSTEM_NAME, name);
  gpm_protobuf_number(&w->message, FILENAME, file);
  gpm_protobuf_write(w->x->file, FUNCTION, &w->message);
  return id;
}

static void write_location(struct writer *w, uint32_t frame) {
  enum { ID = 1, MAPPING_ID, LINE = 4, LINE_FUNCTION = 1, LINE_NUMBER };
  uint64_t function = function_of(w, frame);
  gpm_protobuf_number(&w->inner, LINE_FUNCTION, function);
  gpm_protobuf_number(&w->inner, LINE_NUMBER, gpm_frames_line(w->x->frames, frame));
  gpm_protobuf_number(&w->message, ID, frame + 1);
  gpm_protobuf_number(&w->message, MAPPING_ID, 1);
  gpm_protobuf_message(&w->message, LINE, &w->inner);
  w->inner.length = 0;
  gpm_protobuf_write(w->x->file, LOCATION, &w->message);
}

static void label(struct writer *w, const char *key, char *text) {
  enum { LABEL = 3, KEY = 1, STR = 2 };
  gpm_protobuf_number(&w->inner, KEY, word(w, key));
  gpm_protobuf_number(&w->inner, STR, intern(w, text));
  gpm_protobuf_message(&w->message, LABEL, &w->inner);
  w->inner.length = 0;
}

/* `older`: the blocks were live before the window, so they were not allocated in it. */
static void write_sample(struct writer *w, const struct gpumemprof_capture_cell *c, bool older) {
  const struct gpm_reader *r = w->x->reader;
  uint64_t location[GPM_FRAMES_MOST], value[FIGURES] = {
                                          older ? 0 : c->allocated.blocks,
                                          older ? 0 : c->allocated.bytes,
                                          c->allocated.blocks - c->freed.blocks,
                                          c->allocated.bytes - c->freed.bytes,
                                          gpm_profile_at_peak(r, c),
                                      };
  uint32_t count = gpm_frames_path(w->x->frames, c->node);
  for (uint32_t i = 0; i < count; i++) location[i] = w->x->frames->stack[i] + 1u;
  enum { LOCATION_ID = 1, VALUE };
  gpm_protobuf_numbers(&w->message, LOCATION_ID, location, count);
  gpm_protobuf_numbers(&w->message, VALUE, value, FIGURES);
  label(w, "device", gpm_locations_device(r, c->device));
  label(w, "kind", gpm_memory_text(gpm_locations_kind(c->kind)));
  if (c->label) label(w, "label", gpm_locations_text(r, c->label));
  gpm_protobuf_write(w->x->file, SAMPLE, &w->message);
}

bool gpm_export_pprof(const struct gpm_export *x) {
  struct writer w = {.x = x};
  write_head(&w);
  for (uint32_t i = 0; i < x->frames->keys.count; i++) write_location(&w, i);
  struct gpm_cursor cells = {.records = &x->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));)
    if (x->profile->cell_shown[cells.number])
      write_sample(&w, c, gpm_split_is_older(x->reader, cells.number));
  gpm_words_free(&w.texts);
  gpm_map_free(&w.functions);
  gpm_protobuf_free(&w.message);
  gpm_protobuf_free(&w.inner);
  return true;
}
