/* wrappers_oom.c - who held the memory at an allocation that was out of memory, when wrappers are
 * hidden.
 *
 * The runtime lists the lines that held most, and the call paths. The memory of the listed paths
 * through wrappers moves from the line of the wrapper to those of its callers. What other paths
 * hold is known for the wrapper's line only and stays there. Both lists add up as before.
 */
#include "model/wrappers.h"

#include "gpumemprof/capture_oom.h"

#include <stdlib.h>

static const struct gpumemprof_capture_site *site_of(const struct gpm_reader *r, uint32_t node) {
  const struct gpumemprof_capture_node *n = gpm_reader_record(&r->nodes, node);
  return n->site == GPUMEMPROF_NONE ? NULL : gpm_reader_site(r, n->site);
}

static bool same_line(const struct gpm_reader *r, uint32_t node, uint32_t other) {
  const struct gpumemprof_capture_site *a = site_of(r, node), *b = site_of(r, other);
  if (!a || !b) return a == b;
  return a->file == b->file && a->line == b->line && a->function == b->function;
}

static struct gpumemprof_capture_oom_line *find(const struct gpm_reader *r,
                                                struct gpumemprof_capture_oom *o, uint32_t node) {
  for (uint32_t i = 0; i < o->lines; i++)
    if (same_line(r, o->line[i].node, node)) return &o->line[i];
  return NULL;
}

static void charge(const struct gpm_reader *r, struct gpumemprof_capture_oom *o, uint32_t caller,
                   uint32_t kind, const struct gpumemprof_capture_amount *live) {
  struct gpumemprof_capture_oom_line *to = find(r, o, caller);
  if (!to && o->lines < GPUMEMPROF_OOM_LINES) {
    to = &o->line[o->lines++];
    *to = (struct gpumemprof_capture_oom_line){.line = GPUMEMPROF_NONE, .node = caller};
  }
  struct gpumemprof_capture_amount *sum = to ? &to->live : &o->other_lines;
  sum->bytes += live->bytes;
  sum->blocks += live->blocks;
  if (!to) return;
  to->kinds |= 1u << kind;
  if (live->bytes <= to->node_bytes) return;
  to->node_bytes = live->bytes;
  to->node = caller;
}

static int by_bytes(const void *left, const void *right) {
  const struct gpumemprof_capture_oom_line *a = left, *b = right;
  return (a->live.bytes < b->live.bytes) - (a->live.bytes > b->live.bytes);
}

/* Lines of which nothing is left end the list after sorting. */
static void sort(struct gpumemprof_capture_oom *o) {
  qsort(o->line, o->lines, sizeof o->line[0], by_bytes);
  while (o->lines && !o->line[o->lines - 1].live.bytes && !o->line[o->lines - 1].live.blocks)
    o->lines--;
}

static void move(const struct gpm_reader *r, const uint32_t *callers,
                 struct gpumemprof_capture_oom *o) {
  bool moved = false;
  for (uint32_t i = 0; i < o->paths; i++) {
    const struct gpumemprof_capture_cell *cell = gpm_reader_record(&r->cells, o->path[i].cell);
    const struct gpumemprof_capture_amount *live = &o->path[i].live;
    uint32_t caller = callers[cell->node];
    struct gpumemprof_capture_oom_line *from = caller == cell->node ? NULL : find(r, o, cell->node);
    /* The line is not in the list: its memory is among the others. */
    struct gpumemprof_capture_amount *sum = from ? &from->live : &o->other_lines;
    if (caller == cell->node || sum->bytes < live->bytes || sum->blocks < live->blocks) continue;
    sum->bytes -= live->bytes;
    sum->blocks -= live->blocks;
    charge(r, o, caller, cell->kind, live);
    moved = true;
  }
  if (moved) sort(o);
  if (o->node < r->nodes.count) o->node = callers[o->node];
}

void gpm_wrappers_move_ooms(struct gpm_reader *r, const uint32_t *callers) {
  struct gpm_cursor at = {.records = &r->ooms};
  for (const struct gpumemprof_capture_oom *o; (o = gpm_cursor_next(&at));)
    move(r, callers, (struct gpumemprof_capture_oom *)(uintptr_t)o); /* the reader owns it */
}
