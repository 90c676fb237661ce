/* page_events.c - the section `events` of the page (docs/PAGE.md): what was live when.
 *
 *   tracks   the most and the least of each part of the run
 *   blocks   those that cover most of the picture one by one, the rest as sums
 *   scopes   the longest
 *
 * It gets the bytes that are left in the page, and keeps fewer blocks until it fits.
 */
#include "page/page_arrays.h"
#include "page/page_walk.h"
#include "support/progress.h"
#include "support/say.h"

#include <inttypes.h>
#include <stdlib.h>

struct events {
  const struct gpm_page *page;
  struct gpm_page_picture *picture;
  struct gpm_arrays arrays;
};

/* ---- records as arrays -------------------------------------------------------------------------
 */

static int by_start(const void *a, const void *b) {
  const struct gpm_page_block *x = *(const void *const *)a, *y = *(const void *const *)b;
  return x->start < y->start ? -1 : x->start > y->start;
}

static const struct gpm_page_block *block_at(void *const *block, size_t i) {
  return block[i];
}

static void write_block_halves(struct events *e, void *const *block, size_t count) {
  uint64_t *v = gpm_memory_array(count, sizeof *v);
#define LONG(name, field, how)                                                                     \
  for (size_t i = 0; i < count; i++) v[i] = block_at(block, i)->field;                             \
  gpm_arrays_u64(&e->arrays, "block." name, v, count, how)
  LONG("bytes", bytes, GPM_ARRAY_PLANES);
  LONG("address", address, GPM_ARRAY_PLANES);
  LONG("time", time_ns, GPM_ARRAY_PLANES | GPM_ARRAY_DELTA);
  LONG("age", age_ns, GPM_ARRAY_PLANES);
#undef LONG
  free(v);
}

/* The number in the page of a record or NONE. */
static uint32_t number_of(uint32_t record, const struct gpm_page_numbers *numbers) {
  return record == GPUMEMPROF_NONE ? record : numbers->number[record];
}

static void write_blocks(struct events *e) {
  size_t count = e->picture->blocks.kept.count;
  void **block = gpm_largest_sorted(&e->picture->blocks.kept, by_start);
  uint32_t *start = gpm_memory_array(count, sizeof *start);
  uint32_t *v = gpm_memory_array(count, sizeof *v);
  for (size_t i = 0; i < count; i++) start[i] = block_at(block, i)->start;
  gpm_arrays_u32(&e->arrays, "block.start", start, count, GPM_ARRAY_PLANES | GPM_ARRAY_DELTA);
  for (size_t i = 0; i < count; i++) v[i] = block_at(block, i)->end;
  gpm_arrays_u32_from(&e->arrays, "block.end", v, "block.start", start, count, GPM_ARRAY_PLANES);
#define SHORT(name)                                                                                \
  for (size_t i = 0; i < count; i++) v[i] = (uint32_t)block_at(block, i)->name;                    \
  gpm_arrays_u32(&e->arrays, "block." #name, v, count, GPM_ARRAY_PLANES)
#define NUMBERED(name, numbers)                                                                    \
  for (size_t i = 0; i < count; i++) v[i] = number_of(block_at(block, i)->name, numbers);          \
  gpm_arrays_u32(&e->arrays, "block." #name, v, count, GPM_ARRAY_PLANES)
  SHORT(padding);
  SHORT(generation);
  NUMBERED(cell, &e->page->paths.cells);
  NUMBERED(pair, &e->page->paths.pairs);
  SHORT(thread);
#undef SHORT
#undef NUMBERED
  write_block_halves(e, block, count);
  free(start);
  free(v);
  free(block);
}

static int by_begin(const void *a, const void *b) {
  const struct gpm_page_scope *x = *(const void *const *)a, *y = *(const void *const *)b;
  if (x->time_ns != y->time_ns) return x->time_ns < y->time_ns ? -1 : 1;
  if (x->span_ns != y->span_ns) return x->span_ns > y->span_ns ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node; /* the outer one is the older node */
}

static const struct gpm_page_scope *scope_at(void *const *scope, size_t i) {
  return scope[i];
}

static void write_scopes(struct events *e) {
  size_t count = e->picture->scopes.kept.count;
  void **scope = gpm_largest_sorted(&e->picture->scopes.kept, by_begin);
  uint32_t *v = gpm_memory_array(count, sizeof *v);
  uint64_t *w = gpm_memory_array(count, sizeof *w);
#define SHORT(name)                                                                                \
  for (size_t i = 0; i < count; i++) v[i] = (uint32_t)scope_at(scope, i)->name;                    \
  gpm_arrays_u32(&e->arrays, "scope." #name, v, count, GPM_ARRAY_PLANES)
#define LONG(name, field)                                                                          \
  for (size_t i = 0; i < count; i++) w[i] = scope_at(scope, i)->field;                             \
  gpm_arrays_u64(&e->arrays, "scope." name, w, count, GPM_ARRAY_PLANES)
  SHORT(thread);
  for (size_t i = 0; i < count; i++)
    v[i] = number_of(scope_at(scope, i)->node, &e->page->paths.nodes);
  gpm_arrays_u32(&e->arrays, "scope.node", v, count, GPM_ARRAY_PLANES);
  SHORT(start);
  SHORT(end);
  LONG("time", time_ns);
  LONG("span", span_ns);
#undef SHORT
#undef LONG
  free(scope);
  free(v);
  free(w);
}

/* ---- sums --------------------------------------------------------------------------------------
 */

/* {"device", "kind", "peak", "peak_clock", "prefix"}, and its arrays. */
static json_t *write_track(struct events *e, const struct gpm_page_track *track, uint32_t number) {
  uint32_t parts = e->picture->tracks.parts, *moment = gpm_memory_array(parts, sizeof *moment);
  double *v = gpm_memory_array(parts, sizeof *v);
  char *prefix = gpm_memory_format("track%" PRIu32, number);
  char *names[] = {gpm_memory_format("%s.moment", prefix), gpm_memory_format("%s.most", prefix),
                   gpm_memory_format("%s.least", prefix)};
  for (uint32_t i = 0; i < parts; i++) moment[i] = (uint32_t)track->part[i].moment;
  gpm_arrays_u32(&e->arrays, names[0], moment, parts, GPM_ARRAY_PLANES | GPM_ARRAY_DELTA);
  for (uint32_t i = 0; i < parts; i++) v[i] = (double)track->part[i].most;
  gpm_arrays_f64(&e->arrays, names[1], v, parts, GPM_ARRAY_PLANES);
  for (uint32_t i = 0; i < parts; i++) v[i] = (double)track->part[i].least;
  gpm_arrays_f64(&e->arrays, names[2], v, parts, GPM_ARRAY_PLANES);
  json_t *json = json_object();
  json_object_set_new(json, "device", json_integer(gpm_page_device(e->page, track->device)));
  json_object_set_new(json, "kind",
                      track->kind == GPM_ALL_KINDS ? json_null() : json_integer(track->kind));
  json_object_set_new(json, "peak", json_integer((json_int_t)track->peak));
  json_object_set_new(json, "peak_clock", json_integer((json_int_t)track->peak_clock));
  json_object_set_new(json, "prefix", json_string(prefix));
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) free(names[i]);
  free(prefix);
  free(moment);
  free(v);
  return json;
}

/* Writes the changes that are not zero, cell by cell. */
static void write_rest(struct events *e) {
  uint32_t parts = e->picture->tracks.parts;
  size_t all, count = 0, some = 0;
  struct gpm_page_change_of_part *change = gpm_page_blocks_rest(&e->picture->blocks, &all);
  uint32_t *cell = gpm_memory_array(all, sizeof *cell);
  uint32_t *begin = gpm_memory_array(all + 1, sizeof *begin);
  uint32_t *part = gpm_memory_array(all, sizeof *part);
  double *v = gpm_memory_array(all, sizeof *v);
  for (size_t i = 0; i < all; i++) {
    if (!some || cell[some - 1] != change[i].cell) {
      cell[some] = change[i].cell;
      begin[some++] = (uint32_t)count;
    }
    if (change[i].part >= parts || !change[i].bytes) continue;
    part[count] = change[i].part;
    v[count++] = (double)change[i].bytes;
  }
  begin[some] = (uint32_t)count;
  unsigned how = GPM_ARRAY_PLANES | GPM_ARRAY_DELTA;
  gpm_arrays_u32(&e->arrays, "rest.cell", cell, some, how);
  gpm_arrays_u32(&e->arrays, "rest.begin", begin, some + 1, how);
  gpm_arrays_u32(&e->arrays, "rest.part", part, count, how);
  gpm_arrays_f64(&e->arrays, "rest.change", v, count, GPM_ARRAY_PLANES);
  free(change);
  free(cell);
  free(begin);
  free(part);
  free(v);
}

/* Where time is known: at the first event of each part, and at the latest of all. */
static void write_time(struct events *e) {
  const struct gpm_page_tracks *t = &e->picture->tracks;
  uint32_t *clock = gpm_memory_array((size_t)t->parts + 1, sizeof *clock);
  uint64_t *time = gpm_memory_array((size_t)t->parts + 1, sizeof *time);
  size_t count = 0;
  for (uint32_t i = 0; i <= t->parts; i++) {
    const struct gpm_page_moment *m = i < t->parts ? &t->time[i] : &t->end;
    if (!m->clock || (count && clock[count - 1] == m->clock)) continue;
    clock[count] = (uint32_t)m->clock;
    time[count++] = m->time_ns;
  }
  unsigned how = GPM_ARRAY_PLANES | GPM_ARRAY_DELTA;
  gpm_arrays_u32(&e->arrays, "time.clock", clock, count, how);
  gpm_arrays_u64(&e->arrays, "time", time, count, how);
  free(clock);
  free(time);
}

/* ---- the section -------------------------------------------------------------------------------
 */

static json_t *how_many(size_t kept, uint64_t seen) {
  json_t *json = json_object();
  json_object_set_new(json, "kept", json_integer((json_int_t)kept));
  json_object_set_new(json, "seen", json_integer((json_int_t)seen));
  return json;
}

static void write_all(struct events *e, FILE *file) {
  gpm_arrays_make(&e->arrays);
  json_t *head = json_object(), *tracks = json_array();
  json_object_set_new(head, "blocks",
                      how_many(e->picture->blocks.kept.count, e->picture->blocks.seen));
  json_object_set_new(head, "complete", json_boolean(!e->picture->blocks.rest.blocks));
  json_object_set_new(head, "first_clock", json_integer(0));
  json_object_set_new(head, "last_clock", json_integer((json_int_t)e->picture->tracks.last));
  json_object_set_new(head, "scopes",
                      how_many(e->picture->scopes.kept.count, e->picture->scopes.seen));
  for (uint32_t i = 0; i < e->picture->tracks.count; i++)
    json_array_append_new(tracks, write_track(e, &e->picture->tracks.track[i], i));
  json_object_set_new(head, "tracks", tracks);
  write_blocks(e);
  write_rest(e);
  write_scopes(e);
  write_time(e);
  gpm_arrays_write(&e->arrays, head, file);
  json_decref(head);
  gpm_arrays_free(&e->arrays);
}

/* The section in memory, to be freed; null after it said why there is none. */
static char *make_section(struct events *e, size_t *size) {
  char *text = NULL;
  FILE *memory = open_memstream(&text, size);
  struct gpm_page_section section;
  bool ok = memory && gpm_page_section_begin(&section, memory, "events");
  if (ok) {
    write_all(e, section.file);
    ok = gpm_page_section_end(&section);
  }
  ok = memory && !fclose(memory) && ok;
  if (ok) return text;
  gpm_say("out of memory for the events of the page");
  free(text);
  return NULL;
}

/* Leaves out blocks, then scopes, until the section fits or few are left. */
static char *shrink(struct events *e, uint64_t most, bool to_nothing, size_t *size) {
  enum { FEW = 1000, ENOUGH = 20000 };
  size_t least = to_nothing ? 0 : ENOUGH;
  for (;;) {
    char *text = make_section(e, size);
    size_t blocks = e->picture->blocks.kept.count, scopes = e->picture->scopes.kept.count;
    if (!text || *size <= most || blocks + scopes == 0) return text;
    if (!to_nothing && blocks <= least) return text;
    free(text);
    double part = 0.95 * (double)most / (double)*size;
    size_t kept = blocks > FEW ? (size_t)((double)blocks * part) : 0;
    if (blocks) gpm_page_blocks_shrink(&e->picture->blocks, kept > least ? kept : least);
    else
      gpm_largest_shrink(&e->picture->scopes.kept,
                         scopes > FEW ? (size_t)((double)scopes * part) : 0);
  }
}

/* The section in at most this many bytes, if that is possible; null after it said what is wrong.
 * The sums of omitted blocks take space for each part of the run. Where that is too much, the
 * events are read a second time, with larger parts. */
static char *make_fitting(struct events *e, uint64_t most, size_t *size) {
  bool made = e->page->paths.all || gpm_page_picture_choose(e->picture, e->page);
  for (uint32_t parts = GPM_PAGE_PARTS;; parts /= 4) {
    bool last = parts <= GPM_PAGE_FEWEST_PARTS;
    char *text = NULL;
    if (parts < GPM_PAGE_PARTS) made = gpm_page_picture_make(e->picture, e->page, parts);
    gpm_progress("writing the events");
    if (made) text = shrink(e, most, last, size);
    gpm_page_picture_free(e->picture);
    if (!text || *size <= most || last) return text;
    free(text);
  }
}

bool gpm_page_events(struct gpm_page *page, uint64_t most, uint64_t *least) {
  struct events e = {.page = page, .picture = &page->walk->picture};
  size_t size;
  *least = 0;
  if (gpm_page_has_too_many(page)) { /* for the page's clock */
    gpm_say("%s has more than 2^31 events: the page is without them", page->reader->path);
    return true;
  }
  char *text = make_fitting(&e, most, &size);
  if (!text) return false;
  bool fits = size <= most;
  if (fits) fwrite(text, 1, size, page->file); /* the code that closes the file reports a failure */
  else *least = size;
  free(text);
  return fits;
}
