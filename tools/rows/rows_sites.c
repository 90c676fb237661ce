/* rows_sites.c - which site represents a row, and how many others are on its line.
 *
 * A line may have several calls and allocations, as in `small(&a); big(&b);`. The one that is
 * charged with most itself represents the row, because the figures of the row are first of all
 * those; of calls that are charged with nothing, the one below which most was allocated or, at
 * last, freed.
 */
#include "rows/rows_make.h"

#include <stdlib.h>

struct moved {
  uint64_t self; /* allocated by the site itself */
  uint64_t allocated, freed;
};

static bool is_more(const struct moved *a, const struct moved *b) {
  if (a->self != b->self) return a->self > b->self;
  return a->allocated != b->allocated ? a->allocated > b->allocated : a->freed > b->freed;
}

static void add(struct moved *to, const struct moved *more) {
  to->allocated += more->allocated;
  to->freed += more->freed;
}

/* Returns the sums of each node and the nodes below it. */
static struct moved *moved_by_node(const struct gpm_profile *p) {
  struct moved *moved = gpm_memory_array(p->node_count, sizeof *moved);
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (struct gpm_addend a; gpm_rows_next_cell(p, &at, &a);)
    moved[a.cell->node].allocated += a.allocated.bytes;
  at = (struct gpm_cursor){.records = &p->reader->pairs};
  for (const struct gpumemprof_capture_pair *pair; (pair = gpm_cursor_next(&at));)
    if (p->cell_shown[pair->cell]) moved[pair->free_node].freed += pair->freed.bytes;
  for (uint32_t n = p->node_count; n-- > 1;) add(&moved[p->tree.node[n].parent], &moved[n]);
  return moved;
}

/* Returns the sums of each site; memory that a recursion moves counts once. The walk uses lists of
 * children and siblings and no recursion of its own, because the tree may be a million levels deep.
 */
static struct moved *moved_by_site(const struct gpm_profile *p) {
  struct moved *by_node = moved_by_node(p);
  struct moved *by_site = gpm_memory_array(p->reader->sites.count, sizeof *by_site);
  uint32_t *child = gpm_memory_array(p->node_count, sizeof *child);
  uint32_t *sibling = gpm_memory_array(p->node_count, sizeof *sibling); /* 0: no other */
  uint32_t *open = gpm_memory_array(p->reader->sites.count, sizeof *open);
  for (uint32_t n = p->node_count; n-- > 1;) {
    uint32_t parent = p->tree.node[n].parent;
    sibling[n] = child[parent];
    child[parent] = n;
  }
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (struct gpm_addend a; gpm_rows_next_cell(p, &at, &a);)
    if (p->site[a.cell->node] != GPUMEMPROF_NONE)
      by_site[p->site[a.cell->node]].self += a.allocated.bytes;
  uint32_t n = child[0];
  while (n) {
    uint32_t site = p->site[n];
    if (site != GPUMEMPROF_NONE && !open[site]++) add(&by_site[site], &by_node[n]);
    if (child[n]) {
      n = child[n];
      continue;
    }
    for (;; n = p->tree.node[n].parent) { /* goes back up to a node that has another child */
      if (!n) break;
      if (p->site[n] != GPUMEMPROF_NONE) open[p->site[n]]--;
      if (!sibling[n]) continue;
      n = sibling[n];
      break;
    }
  }
  free(open);
  free(sibling);
  free(child);
  free(by_node);
  return by_site;
}

static bool is_any(const struct moved *moved) {
  return moved->allocated || moved->freed;
}

void gpm_rows_choose_sites(struct gpm_rows *rows) {
  const struct gpm_profile *p = rows->profile;
  const struct gpm_grouping *g = &rows->grouping;
  struct moved *moved = g->by == GPM_BY_LINE ? moved_by_site(p) : NULL;
  for (uint32_t i = 0; moved && i < rows->count; i++)
    gpm_row_set(&rows->row[i], GPM_FIGURE_others, 0);
  uint8_t *seen = gpm_memory_array(p->reader->sites.count, 1);
  for (uint32_t n = 0; n < p->node_count; n++) {
    uint32_t site = p->site[n], key = g->by == GPM_BY_FUNCTION ? g->entry[n] : g->direct[n];
    if (site == GPUMEMPROF_NONE || key == GPUMEMPROF_NONE) continue;
    if (g->by != GPM_BY_PATH && seen[site]) continue;
    bool repeated = seen[site];
    seen[site] = 1;
    struct gpm_row *row = &rows->row[key];
    if (row->site == GPUMEMPROF_NONE) row->site = site;
    else if (!repeated && moved) {
      if (is_any(&moved[site]) && is_any(&moved[row->site])) gpm_row_add(row, GPM_FIGURE_others, 1);
      if (is_more(&moved[site], &moved[row->site])) row->site = site;
    }
  }
  free(seen);
  free(moved);
}
