/* wrappers_oom.c - what held the memory at an allocation that was out of memory, when wrappers are
 * hidden.
 *
 * The runtime lists the lines that held most, and the call paths. The memory of the listed paths
 * through wrappers moves from the line of the wrapper to those of its callers. What other paths
 * hold is known for the wrapper's line only and stays there. Both lists add up as before.
 */
#include "model/wrappers.h"

#include "support/memory.h"

#include "gpumemprof/capture_oom.h"

#include <stdlib.h>
#include <string.h>

static const struct gpumemprof_capture_site *site_of(const struct gpm_reader *r, uint32_t node) {
  const struct gpumemprof_capture_node *n = gpm_reader_record(&r->nodes, node);
  return n->site == GPUMEMPROF_NONE ? NULL : gpm_reader_site(r, n->site);
}

static bool same_line(const struct gpm_reader *r, uint32_t node, uint32_t other) {
  const struct gpumemprof_capture_site *a = site_of(r, node), *b = site_of(r, other);
  if (!a || !b) return a == b;
  return a->file == b->file && a->line == b->line && a->function == b->function;
}

/* A list without a limit: callers that hold most may be many more than the wrappers. */
struct lines {
  struct gpumemprof_capture_oom_line *line;
  uint32_t count;
};

static struct gpumemprof_capture_oom_line *find(const struct gpm_reader *r, struct lines *lines,
                                                uint32_t node) {
  for (uint32_t i = 0; i < lines->count; i++)
    if (same_line(r, lines->line[i].node, node)) return &lines->line[i];
  return NULL;
}

static void add_amount(struct gpumemprof_capture_amount *to,
                       const struct gpumemprof_capture_amount *more) {
  to->bytes += more->bytes;
  to->blocks += more->blocks;
}

static void charge(const struct gpm_reader *r, struct lines *lines, uint32_t node, uint32_t kind,
                   const struct gpumemprof_capture_amount *live) {
  struct gpumemprof_capture_oom_line *to = find(r, lines, node);
  if (!to) {
    lines->line = gpm_memory_resize(lines->line, lines->count + 1, sizeof *lines->line);
    to = &lines->line[lines->count++];
    *to = (struct gpumemprof_capture_oom_line){.line = GPUMEMPROF_NONE, .node = node};
  }
  add_amount(&to->live, live);
  to->kinds |= 1u << kind;
  if (live->bytes <= to->node_bytes) return;
  to->node_bytes = live->bytes;
  to->node = node;
}

static int by_bytes(const void *left, const void *right) {
  const struct gpumemprof_capture_oom_line *a = left, *b = right;
  return (a->live.bytes < b->live.bytes) - (a->live.bytes > b->live.bytes);
}

/* The largest path of a line of which some paths moved is the largest of those that stayed. */
static void find_largest(const struct gpm_reader *r, const uint32_t *callers,
                         const struct gpumemprof_capture_oom *o,
                         struct gpumemprof_capture_oom_line *line) {
  if (callers[line->node] == line->node) return;
  line->node_bytes = 0;
  for (uint32_t i = 0; i < o->paths; i++) {
    const struct gpumemprof_capture_cell *cell = gpm_reader_record(&r->cells, o->path[i].cell);
    if (callers[cell->node] != cell->node || !same_line(r, cell->node, line->node)) continue;
    if (o->path[i].live.bytes <= line->node_bytes) continue;
    line->node_bytes = o->path[i].live.bytes;
    line->node = cell->node;
  }
}

/* Takes what a path holds from its line, or from the others if that is not in the list. */
static bool take(const struct gpm_reader *r, struct lines *lines, struct gpumemprof_capture_oom *o,
                 uint32_t node, const struct gpumemprof_capture_amount *live) {
  struct gpumemprof_capture_oom_line *from = find(r, lines, node);
  struct gpumemprof_capture_amount *sum = from ? &from->live : &o->other_lines;
  if (sum->bytes < live->bytes || sum->blocks < live->blocks) return false;
  sum->bytes -= live->bytes;
  sum->blocks -= live->blocks;
  return true;
}

/* Puts the largest back into the record; the rest is counted among the others. */
static void store(struct lines *lines, struct gpumemprof_capture_oom *o) {
  if (lines->count) qsort(lines->line, lines->count, sizeof *lines->line, by_bytes);
  o->lines = 0;
  for (uint32_t i = 0; i < lines->count; i++) {
    const struct gpumemprof_capture_oom_line *line = &lines->line[i];
    bool any = line->live.bytes || line->live.blocks;
    if (any && o->lines < GPUMEMPROF_OOM_LINES) o->line[o->lines++] = *line;
    else if (any) add_amount(&o->other_lines, &line->live);
  }
}

static void move(const struct gpm_reader *r, const uint32_t *callers,
                 struct gpumemprof_capture_oom *o) {
  struct lines lines = {.line = gpm_memory_array(o->lines + 1, sizeof *lines.line),
                        .count = o->lines};
  memcpy(lines.line, o->line, o->lines * sizeof *lines.line);
  for (uint32_t i = 0; i < o->paths; i++) {
    const struct gpumemprof_capture_cell *cell = gpm_reader_record(&r->cells, o->path[i].cell);
    const struct gpumemprof_capture_amount *live = &o->path[i].live;
    uint32_t caller = callers[cell->node];
    if (caller != cell->node && take(r, &lines, o, cell->node, live))
      charge(r, &lines, caller, cell->kind, live);
  }
  for (uint32_t i = 0; i < lines.count; i++) find_largest(r, callers, o, &lines.line[i]);
  store(&lines, o);
  free(lines.line);
  if (o->node < r->nodes.count) o->node = callers[o->node];
}

void gpm_wrappers_move_ooms(struct gpm_reader *r, const uint32_t *callers) {
  struct gpm_cursor at = {.records = &r->ooms};
  for (const struct gpumemprof_capture_oom *o; (o = gpm_cursor_next(&at));)
    move(r, callers, (struct gpumemprof_capture_oom *)(uintptr_t)o); /* the reader owns it */
}
