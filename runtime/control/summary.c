/* summary.c - rows of figures for the program (measure.h: gpumemprof_summary).
 *
 * figures.c copies the ledger's figures; here each call path is assigned to the lines or functions
 * on it, as grouping.c and rows.c of the tools do for a report, and the rows are sorted. No lock is
 * taken for this. An inclusive figure counts an event once for each row on its path: a row
 * remembers the latest node that it counted.
 */
#include "base/memory.h"
#include "base/program_calls.h"
#include "capture/capture.h"
#include "capture/strings.h"
#include "control/figures.h"

#include <errno.h>
#include <string.h>

struct row {
  struct gpumemprof_summary_row out;
  uint32_t file, line, function, name; /* these identify a row */
  uint32_t counted;                    /* node + 1 */
};

struct summary {
  struct gpm_figures figures;
  enum gpumemprof_summary_by by;
  struct row *rows;
  uint32_t count;
  uint32_t *order;  /* of the rows that are shown */
  uint32_t *hashed; /* row + 1 */
  uint32_t room;    /* of `hashed`, power of two */
  size_t bytes;
};

static bool map_rows(struct summary *s, uint32_t most) {
  s->room = 64;
  while (s->room < 2 * most) s->room *= 2;
  s->bytes = most * (sizeof *s->rows + sizeof *s->order) + s->room * sizeof *s->hashed;
  s->rows = gpm_memory_map(s->bytes);
  if (!s->rows) return false;
  s->order = (void *)(s->rows + most);
  s->hashed = s->order + most;
  return true;
}

static uint32_t get_row(struct summary *s, uint32_t file, uint32_t line, uint32_t function,
                        uint32_t name, uint32_t shown_line) {
  uint64_t h = ((uint64_t)file << 32 | function) * 0x9e3779b97f4a7c15ULL;
  h = (h ^ ((uint64_t)line << 32 | name)) * 0xff51afd7ed558ccdULL;
  uint32_t at = (uint32_t)(h >> 32) & (s->room - 1);
  for (; s->hashed[at]; at = (at + 1) & (s->room - 1)) {
    const struct row *r = &s->rows[s->hashed[at] - 1];
    if (r->file == file && r->line == line && r->function == function && r->name == name)
      return s->hashed[at] - 1;
  }
  s->hashed[at] = s->count + 1;
  struct row *r = &s->rows[s->count];
  r->file = file;
  r->line = line;
  r->function = function;
  r->name = name;
  r->out.name = gpm_strings_text(function);
  r->out.block = gpm_strings_text(name);
  r->out.file = gpm_strings_text(file);
  r->out.line = shown_line;
  return s->count++;
}

/* ---- which rows a node stands under ------------------------------------------------------------
 */

static bool is_scope_node(const struct gpm_figures_node *n) {
  return n->kind == GPUMEMPROF_SITE_FUNCTION || n->kind == GPUMEMPROF_SITE_BLOCK;
}

static bool has_events(const struct gpm_figures_node *n) {
  return n->sums.allocated.blocks || n->sums.freed_here.blocks || n->record.failed_calls;
}

/* Returns the row that a node adds to its path, or NONE. Events at an unknown location are charged
 * to line 0 of the function around it. */
static uint32_t row_of_line(struct summary *s, const struct gpm_figures_node *n) {
  if (n->kind == GPUMEMPROF_SITE_CALL || n->kind == GPUMEMPROF_SITE_NATIVE)
    return get_row(s, n->file, n->line, n->function, 0, n->line);
  if (!has_events(n)) return GPUMEMPROF_NONE;
  if (n->scope == GPUMEMPROF_NONE) return get_row(s, 0, 0, 0, 0, 0);
  const struct gpm_figures_node *scope = &s->figures.nodes[n->scope];
  return get_row(s, scope->file, 0, scope->function, 0, 0);
}

static uint32_t row_of_function(struct summary *s, const struct gpm_figures_node *n) {
  if (is_scope_node(n)) return get_row(s, n->file, 0, n->function, n->name, n->line);
  if (n->scope != GPUMEMPROF_NONE || !has_events(n)) return GPUMEMPROF_NONE;
  return get_row(s, n->file, 0, n->function, 0, 0); /* (paused), (static), or nothing is known */
}

static void place_nodes(struct summary *s) {
  struct gpm_figures_node *nodes = s->figures.nodes;
  for (uint32_t i = 0; i < s->figures.node_count; i++) {
    struct gpm_figures_node *n = &nodes[i];
    const struct gpm_figures_node *parent = i ? &nodes[n->record.parent] : NULL;
    bool scope = is_scope_node(n);
    n->scope = scope ? i : parent ? parent->scope : GPUMEMPROF_NONE;
    n->entry = GPUMEMPROF_NONE;
    if (s->by == GPUMEMPROF_BY_LINE) {
      n->direct = n->row = row_of_line(s, n);
      if (n->spans) n->entry = n->row;
      if (scope && n->record.parent && !is_scope_node(parent)) n->entry = parent->row;
    } else {
      n->direct = n->row = row_of_function(s, n);
      if (n->row == GPUMEMPROF_NONE && parent) n->direct = parent->direct;
      if (scope) n->entry = n->row;
    }
  }
}

/* ---- what they add -----------------------------------------------------------------------------
 */

static void add_to(struct gpumemprof_amount *to, const struct gpumemprof_amount *more) {
  to->bytes += more->bytes;
  to->blocks += more->blocks;
}

static void raise_to(uint64_t *at, uint64_t value) {
  if (value > *at) *at = value;
}

static void add_self(struct gpumemprof_summary_row *row, const struct gpm_sums *sums) {
  add_to(&row->allocated, &sums->allocated);
  add_to(&row->freed, &sums->freed);
  add_to(&row->freed_here, &sums->freed_here);
  row->requested += sums->requested;
  row->at_peak += sums->at_peak;
  row->temporary_blocks += sums->temporary_blocks;
}

static void add_events(struct summary *s, const struct gpm_figures_node *n) {
  struct gpumemprof_summary_row *row = &s->rows[n->direct].out;
  add_self(row, &n->sums);
  row->failed_calls += n->record.failed_calls;
  row->failed_bytes += n->record.failed_bytes;
  row->oom_calls += n->record.oom_calls;
  if (s->by != GPUMEMPROF_BY_LINE) return;
  row->calls += n->sums.allocated.blocks + n->sums.freed_here.blocks;
  if (!n->spans) {
    raise_to(&row->own_peak_max, n->sums.largest);
    row->own_peak_sum += n->sums.counted_bytes;
    row->own_peak_count += n->sums.counted_blocks;
  }
  if (n->file || n->line || n->function) raise_to(&row->live_peak, n->live_peak);
}

static void add_activations_of(struct summary *s, const struct gpm_figures_node *n) {
  struct gpumemprof_summary_row *row = &s->rows[n->entry].out;
  bool of_line = s->by == GPUMEMPROF_BY_LINE && s->figures.nodes[n->record.parent].spans;
  raise_to(&row->device_peak, n->record.device_peak);
  if (!n->spans) row->calls += n->profiled ? n->record.calls : n->record.active_calls;
  if (!of_line) { /* otherwise the line's own activations have these figures */
    raise_to(&row->own_peak_max, n->record.own_peak_max);
    row->own_peak_sum += n->record.own_peak_sum;
    row->own_peak_count += n->record.active_calls;
  }
  if (n->profiled) row->wall_ns += n->record.wall_ticks; /* ticks so far */
}

static void add_inclusive_of(struct summary *s, uint32_t node) {
  struct gpm_figures_node *nodes = s->figures.nodes;
  const struct gpm_sums *sums = &nodes[node].sums;
  for (uint32_t i = node; i != GPUMEMPROF_NONE; i = nodes[i].record.parent) {
    struct row *row = nodes[i].row == GPUMEMPROF_NONE ? NULL : &s->rows[nodes[i].row];
    if (!row || row->counted == node + 1) continue;
    row->counted = node + 1;
    add_to(&row->out.inclusive_allocated, &sums->allocated);
    add_to(&row->out.inclusive_freed_here, &sums->freed_here);
    row->out.inclusive_live.bytes += sums->allocated.bytes - sums->freed.bytes;
    row->out.inclusive_live.blocks += sums->allocated.blocks - sums->freed.blocks;
    row->out.inclusive_at_peak += sums->at_peak;
  }
}

static void make_rows_of_locations(struct summary *s) {
  place_nodes(s);
  for (uint32_t i = 0; i < s->figures.node_count; i++) {
    const struct gpm_figures_node *n = &s->figures.nodes[i];
    if (n->entry != GPUMEMPROF_NONE) add_activations_of(s, n);
    if (n->direct == GPUMEMPROF_NONE || !has_events(n)) continue;
    add_events(s, n);
    add_inclusive_of(s, i);
  }
}

static void make_rows_of_parts(struct summary *s) {
  for (uint32_t i = 0; i < s->figures.part_count; i++) {
    const struct gpm_figures_part *part = &s->figures.parts[i];
    struct gpumemprof_summary_row *row = &s->rows[s->count++].out;
    row->name = s->figures.by_label ? gpm_strings_text(part->label) : part->name;
    row->device = part->ordinal;
    row->live_peak = part->peak;
    add_self(row, &part->sums);
    row->freed_here = row->inclusive_freed_here = row->freed;
    row->inclusive_allocated = row->allocated;
    row->inclusive_live.bytes = row->allocated.bytes - row->freed.bytes;
    row->inclusive_live.blocks = row->allocated.blocks - row->freed.blocks;
    row->inclusive_at_peak = row->at_peak;
    row->calls = row->allocated.blocks + row->freed.blocks;
  }
}

/* ---- the order ---------------------------------------------------------------------------------
 */

/* Reports show the same rows in the same order. */
static bool is_shown(const struct summary *s, const struct gpumemprof_summary_row *row) {
  if (s->by == GPUMEMPROF_BY_LABEL) return row->allocated.blocks;
  if (s->by == GPUMEMPROF_BY_DEVICE) return row->allocated.blocks || row->device >= 0;
  if (row->inclusive_allocated.bytes || row->inclusive_freed_here.bytes || row->failed_calls)
    return true;
  return s->figures.since_reset ? row->calls : !s->figures.pieces;
}

static bool is_before(const struct summary *s, uint32_t a, uint32_t b) {
  const struct gpumemprof_summary_row *x = &s->rows[a].out, *y = &s->rows[b].out;
  if (x->live.bytes != y->live.bytes) return x->live.bytes > y->live.bytes;
  if (x->inclusive_live.bytes != y->inclusive_live.bytes)
    return x->inclusive_live.bytes > y->inclusive_live.bytes;
  if (x->allocated.bytes != y->allocated.bytes) return x->allocated.bytes > y->allocated.bytes;
  return a < b;
}

/* Moves the row at `at` down the heap until no row below it comes later in the order. */
static void sift_down(struct summary *s, uint32_t at, uint32_t count) {
  uint32_t moved = s->order[at];
  for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && is_before(s, s->order[child], s->order[child + 1])) child++;
    if (!is_before(s, moved, s->order[child])) break;
    s->order[at] = s->order[child];
  }
  s->order[at] = moved;
}

/* This is a heap sort, because libc's qsort may allocate memory. */
static void sort_rows(struct summary *s, uint32_t count) {
  for (uint32_t i = count / 2; i-- > 0;) sift_down(s, i, count);
  for (uint32_t left = count; left-- > 1;) {
    uint32_t last = s->order[0];
    s->order[0] = s->order[left];
    s->order[left] = last;
    sift_down(s, 0, left);
  }
}

/* Returns how many rows are shown. */
static uint32_t finish_rows(struct summary *s) {
  double ns = gpm_capture_tick_ns();
  uint32_t shown = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    struct gpumemprof_summary_row *row = &s->rows[i].out;
    row->live.bytes = row->allocated.bytes - row->freed.bytes;
    row->live.blocks = row->allocated.blocks - row->freed.blocks;
    row->wall_ns = (uint64_t)((double)row->wall_ns * ns);
    if (is_shown(s, row)) s->order[shown++] = i;
  }
  sort_rows(s, shown);
  return shown;
}

size_t __gpumemprof_summary_fill(int by, struct gpumemprof_summary_row *rows, size_t room,
                                 size_t size) {
  int saved = errno;
  struct summary s = {.by = (enum gpumemprof_summary_by)by};
  if (by < GPUMEMPROF_BY_DEVICE || by > GPUMEMPROF_BY_LABEL) return 0;
  if (!gpm_figures_copy(&s.figures, by == GPUMEMPROF_BY_LABEL)) return 0;
  bool flat = by == GPUMEMPROF_BY_LABEL || by == GPUMEMPROF_BY_DEVICE;
  size_t shown = 0;
  if (map_rows(&s, flat ? s.figures.part_count : s.figures.node_count + 1)) {
    if (flat) make_rows_of_parts(&s);
    else make_rows_of_locations(&s);
    shown = finish_rows(&s);
    for (size_t i = 0; i < shown && i < room; i++) {
      char *to = (char *)rows + i * size; /* the program's row may be another version's */
      memset(to, 0, size);
      memcpy(to, &s.rows[s.order[i]].out, size < sizeof *rows ? size : sizeof *rows);
    }
  }
  gpm_memory_unmap(s.rows, s.bytes);
  gpm_figures_free(&s.figures);
  errno = saved;
  return shown;
}
