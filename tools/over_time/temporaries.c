/* temporaries.c - see temporaries.h.
 *
 *   cell: 9 blocks, 5 temporary, freed at x: 5 and y: 4      which of them? the events show it
 *   cell: 9 blocks, 5 temporary, freed at x: 9               5 at x
 *   cell: 9 blocks, 9 temporary, freed at x: 5 and y: 4      5 at x, 4 at y
 */
#include "over_time/temporaries.h"

#include "rows/locations.h"
#include "support/map.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>

struct count { /* the temporaries of a cell or a pair, by the events */
  uint64_t blocks, bytes, largest;
};

struct gpm_temporaries_of_events {
  struct count *cells, *pairs;
};

struct seen { /* the recorded frees of a cell */
  uint64_t blocks;
  uint32_t pairs;
};

struct making {
  const struct gpm_rows *rows;
  struct gpm_temporaries *t;
  const struct gpm_temporaries_of_events *of_events; /* null: the events were not read */
  struct seen *seen;
  struct gpm_map by_rows; /* (row that allocates, row that frees) -> index of frees */
  uint32_t room;
};

static void add(struct count *to, uint64_t bytes) {
  to->blocks++;
  to->bytes += bytes;
  if (bytes > to->largest) to->largest = bytes;
}

static void add_lifetime(void *data, const struct gpm_lifetime *life) {
  struct gpm_temporaries_of_events *of_events = data;
  if (!life->temporary) return;
  add(&of_events->cells[life->cell], life->bytes);
  add(&of_events->pairs[life->pair], life->bytes);
}

static bool is_found(const struct making *m, const struct gpumemprof_capture_cell *c,
                     uint64_t cell) {
  return m->of_events && m->of_events->cells[cell].blocks == c->temporary_blocks;
}

static void add_cell(struct making *m, const struct gpumemprof_capture_cell *c, uint64_t number) {
  struct gpm_temporary *line = &m->t->line[m->rows->grouping.direct[c->node]];
  bool found = is_found(m, c, number), same = c->min_size == c->max_size,
       all = c->temporary_blocks == c->allocated.blocks && !m->rows->profile->reader->header.resets;
  uint64_t largest = found ? m->of_events->cells[number].largest : c->max_size;
  if (c->temporary_blocks > line->most) {
    line->most = c->temporary_blocks;
    line->node = c->node;
  }
  if (found) line->bytes += m->of_events->cells[number].bytes;
  else if (all) line->bytes += c->allocated.bytes;
  else if (same) line->bytes += c->temporary_blocks * c->min_size;
  else line->bytes_unsure = true;
  if (largest > line->largest) line->largest = largest;
  line->kinds |= 1u << c->kind;
}

static struct gpm_temporary_free *free_of(struct making *m, uint32_t line, uint32_t node) {
  struct gpm_temporaries *t = m->t;
  uint32_t row = m->rows->grouping.direct[node];
  uint64_t i = *gpm_map_at(&m->by_rows, (uint64_t)line << 32 | row, t->free_count);
  if (i < t->free_count) return &t->frees[i];
  if (t->free_count == m->room) {
    m->room = m->room ? m->room * 2 : 64;
    t->frees = gpm_memory_resize(t->frees, m->room, sizeof *t->frees);
  }
  t->frees[t->free_count] = (struct gpm_temporary_free){.line = line, .row = row, .node = node};
  return &t->frees[t->free_count++];
}

static void add_pair(struct making *m, const struct gpumemprof_capture_pair *q, uint64_t number) {
  const struct gpm_profile *p = m->rows->profile;
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&p->reader->cells, q->cell);
  const struct seen *seen = &m->seen[q->cell];
  uint64_t blocks = 0;
  bool unsure = false;
  if (is_found(m, c, q->cell)) blocks = m->of_events->pairs[number].blocks;
  else if (seen->pairs == 1) blocks = c->temporary_blocks;
  else if (seen->blocks == c->temporary_blocks) blocks = q->freed.blocks;
  else unsure = true;
  if (!blocks && !unsure) return;
  struct gpm_temporary_free *f = free_of(m, m->rows->grouping.direct[c->node], q->free_node);
  f->blocks += blocks;
  f->unsure |= unsure;
}

static int by_line(const void *a, const void *b) {
  const struct gpm_temporary_free *x = a, *y = b;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  if (x->blocks != y->blocks) return x->blocks > y->blocks ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

static void sort(struct gpm_temporaries *t) {
  if (t->free_count) qsort(t->frees, t->free_count, sizeof *t->frees, by_line);
  for (uint32_t i = 0; i < t->free_count; i++) {
    struct gpm_temporary *line = &t->line[t->frees[i].line];
    if (!line->count++) line->first = i;
  }
}

/* True for a pair that is shown and whose frees were recorded, of a cell with temporaries. */
static bool matters(const struct making *m, const struct gpumemprof_capture_pair *q) {
  const struct gpm_profile *p = m->rows->profile;
  if (!p->cell_shown[q->cell] || !q->free_node || !q->freed.blocks) return false;
  const struct gpumemprof_capture_cell *c = gpm_reader_record(&p->reader->cells, q->cell);
  return c->temporary_blocks != 0;
}

static void see_frees(struct making *m) {
  struct gpm_cursor at = {.records = &m->rows->profile->reader->pairs};
  for (const struct gpumemprof_capture_pair *q; (q = gpm_cursor_next(&at));) {
    if (!matters(m, q)) continue;
    m->seen[q->cell].blocks += q->freed.blocks;
    m->seen[q->cell].pairs++;
  }
}

/* True if the sums leave a choice in some cell. */
static bool needs_events(const struct making *m) {
  const struct gpm_profile *p = m->rows->profile;
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    if (!p->cell_shown[at.number] || !c->temporary_blocks) continue;
    if (c->temporary_blocks != c->allocated.blocks &&
        (c->min_size != c->max_size || m->seen[at.number].pairs > 1))
      return true;
  }
  return false;
}

static void begin(struct making *m, struct gpm_temporaries *t, const struct gpm_rows *rows) {
  const struct gpm_reader *r = rows->profile->reader;
  *t = (struct gpm_temporaries){.line = gpm_memory_array(rows->count, sizeof *t->line)};
  *m = (struct making){
      .rows = rows, .t = t, .seen = gpm_memory_array(r->cells.count, sizeof *m->seen)};
  see_frees(m);
}

static void find(struct making *m, const struct gpm_temporaries_of_events *of_events) {
  const struct gpm_profile *p = m->rows->profile;
  m->of_events = of_events;
  struct gpm_cursor cells = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&cells));)
    if (p->cell_shown[cells.number] && c->temporary_blocks) add_cell(m, c, cells.number);
  struct gpm_cursor pairs = {.records = &p->reader->pairs};
  for (const struct gpumemprof_capture_pair *q; (q = gpm_cursor_next(&pairs));)
    if (matters(m, q)) add_pair(m, q, pairs.number);
  sort(m->t);
  gpm_map_free(&m->by_rows);
  free(m->seen);
}

struct gpm_temporaries_of_events *gpm_temporaries_listen(const struct gpm_reader *r,
                                                         struct gpm_listener *listener) {
  struct gpm_temporaries_of_events *of_events = gpm_memory_array(1, sizeof *of_events);
  *of_events = (struct gpm_temporaries_of_events){
      .cells = gpm_memory_array(r->cells.count, sizeof *of_events->cells),
      .pairs = gpm_memory_array(r->pairs.count, sizeof *of_events->pairs)};
  *listener = gpm_block_lifetimes_listener(r, add_lifetime, of_events);
  return of_events;
}

void gpm_temporaries_of_events_free(struct gpm_temporaries_of_events *of_events) {
  if (!of_events) return;
  free(of_events->cells);
  free(of_events->pairs);
  free(of_events);
}

void gpm_temporaries_find(struct gpm_temporaries *t, const struct gpm_rows *rows,
                          const struct gpm_temporaries_of_events *of_events) {
  struct making m;
  begin(&m, t, rows);
  find(&m, needs_events(&m) ? of_events : NULL);
}

bool gpm_temporaries_make(struct gpm_temporaries *t, const struct gpm_rows *rows,
                          struct gpm_reader *reader) {
  struct making m;
  struct gpm_listener listener;
  begin(&m, t, rows);
  struct gpm_temporaries_of_events *of_events = gpm_temporaries_listen(reader, &listener);
  bool walks = needs_events(&m) && gpm_block_lifetimes_are_known(reader);
  bool received = walks && gpm_block_lifetimes_walk(reader, add_lifetime, of_events);
  find(&m, received ? of_events : NULL);
  gpm_temporaries_of_events_free(of_events);
  return received || !walks;
}

void gpm_temporaries_free(struct gpm_temporaries *t) {
  free(t->line);
  free(t->frees);
}

/* ---- what to say -------------------------------------------------------------------------------
 */

const char *gpm_temporaries_remedy(const struct gpm_temporary *line) {
  if (line->kinds & 1u << GPUMEMPROF_KIND_DEVICE)
    return "keep one buffer of that size from call to call, or take it from a pool with "
           "cudaMallocAsync";
  if (line->kinds & 1u << GPUMEMPROF_KIND_PINNED)
    return "keep one pinned buffer of that size from call to call: pinning pages costs far more "
           "than using them";
  return "keep one buffer of that size from call to call";
}

/* Returns "main.c:12 step", or null if it is not known which of several lines it was. The caller
 * frees it. */
static char *freed_at(const struct gpm_temporaries *found, const struct gpm_profile *p,
                      const struct gpm_temporary *line) {
  if (!line->count) return NULL;
  const struct gpm_temporary_free *f = &found->frees[line->first];
  return f->unsure && line->count > 1 ? NULL : gpm_locations_node(p, f->node);
}

/* Returns null if it happened only once, or to less than a tenth of the line's blocks. The caller
 * frees the text. */
char *gpm_temporaries_advice(const struct gpm_temporaries *found, const struct gpm_rows *rows,
                             uint32_t row, unsigned style) {
  const struct gpm_temporary *line = &found->line[row];
  const int64_t *v = rows->row[row].value;
  int64_t times = v[GPM_FIGURE_temporary_blocks];
  if (times < 2 || times < v[GPM_FIGURE_blocks] / 10) return NULL;
  char largest[GPM_TEXT_NUMBER], *where = gpm_locations_node(rows->profile, line->node),
                                 *freed = freed_at(found, rows->profile, line);
  char *text =
      gpm_memory_format("%s allocates up to %s and frees it right after%s%s, %lld times: %s", where,
                        gpm_text_bytes(largest, (int64_t)line->largest, style), freed ? " at " : "",
                        freed ? freed : "", (long long)times, gpm_temporaries_remedy(line));
  free(where);
  free(freed);
  return text;
}
