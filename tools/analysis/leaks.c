/* leaks.c - see leaks.h. */
#include "analysis/leaks.h"

#include "model/split_cells.h"
#include "rows/path_rank.h"
#include "support/map.h"

#include <stdlib.h>

static int by_bytes(const void *a, const void *b) {
  const struct gpm_reachable *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static void find_reachable(struct gpm_leaks *l, const struct gpm_profile *p) {
  if (gpm_split_is_part(p->reader)) return; /* variables were there before the window */
  struct gpm_map by_node = {0};
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    uint64_t blocks = c->allocated.blocks - c->freed.blocks;
    if (c->kind != GPUMEMPROF_KIND_STATIC || !p->cell_shown[at.number] || !blocks) continue;
    uint64_t i = *gpm_map_at(&by_node, c->node, l->reachable_count);
    if (i == l->reachable_count) {
      l->reachable = gpm_memory_resize(l->reachable, (size_t)i + 1, sizeof *l->reachable);
      l->reachable[l->reachable_count++] = (struct gpm_reachable){.node = c->node};
    }
    l->reachable[i].bytes += c->allocated.bytes - c->freed.bytes;
    l->reachable[i].blocks += blocks;
  }
  gpm_map_free(&by_node);
  if (l->reachable_count) qsort(l->reachable, l->reachable_count, sizeof *l->reachable, by_bytes);
}

/* Adds up what leaked, and what each suppression hid. Returns the nodes with enough leaked bytes;
 * the caller frees the array. */
static uint32_t *find_nodes(struct gpm_leaks *l, const struct gpm_path_rank *rank,
                            const struct gpm_leaks_request *request) {
  const struct gpm_profile *p = rank->profile;
  const struct gpm_suppressions *suppressions = request->suppressions;
  uint32_t *node = gpm_memory_array((size_t)p->node_count + 1, sizeof *node);
  struct gpm_row row = {0};
  for (uint32_t n = 0; n < p->node_count; n++) {
    gpm_path_rank_row(rank, n, &row);
    uint64_t bytes = (uint64_t)row.value[GPM_FIGURE_leaked],
             blocks = (uint64_t)row.value[GPM_FIGURE_leaked_blocks];
    if (row.value[GPM_FIGURE_leaked] <= 0 || !gpm_rows_shows(p, GPM_BY_PATH, &row)) continue;
    struct gpm_suppression *by = suppressions ? gpm_suppressions_find(suppressions, p, n) : NULL;
    if (by) {
      by->bytes += bytes;
      by->blocks += blocks;
      continue;
    }
    l->bytes += bytes;
    l->blocks += blocks;
    if (bytes >= request->least) node[l->all - l->hidden] = n;
    else l->hidden++;
    l->all++;
  }
  return node;
}

void gpm_leaks_find(struct gpm_leaks *l, const struct gpm_profile *profile,
                    const struct gpm_leaks_request *request) {
  *l = (struct gpm_leaks){.reachable_count = 0};
  struct gpm_path_rank rank;
  gpm_path_rank_make(&rank, profile, GPM_FIGURE_leaked);
  uint32_t *node = find_nodes(l, &rank, request), large = l->all - l->hidden;
  l->count = request->most && request->most < large ? request->most : large;
  if (request->by_blocks) {
    gpm_path_rank_free(&rank);
    gpm_path_rank_make(&rank, profile, GPM_FIGURE_leaked_blocks);
  }
  gpm_path_rank_first(&rank, node, large, l->count);
  gpm_path_rank_free(&rank);
  gpm_rows_make_paths(&l->rows, profile, node, l->count);
  free(node);
  find_reachable(l, profile);
}

void gpm_leaks_free(struct gpm_leaks *l) {
  gpm_rows_free(&l->rows);
  free(l->reachable);
}
