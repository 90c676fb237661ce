/* page_paths.c - see page_paths.h.
 *
 *   nodes, the heaviest --> kept ones by number --> cells that are alike of one kept node
 *                                               --> pairs of alike cells, freed at one kept node
 */
#include "page/page_paths.h"

#include "rows/order.h"
#include "rows/path_rank.h"
#include "rows/rows_make.h"
#include "support/map.h"

#include <stdlib.h>

/* ---- nodes -------------------------------------------------------------------------------------
 */

/* The same order as for `tree --limit`; of equal nodes the ancestor comes first. */
static int heavier(const void *a, const void *b, void *data) {
  const struct gpm_path_rank *rank = data;
  uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
  const struct gpm_path_sums *x = &rank->sums[m], *y = &rank->sums[n];
  if (x->at_peak != y->at_peak) return x->at_peak > y->at_peak ? -1 : 1;
  if (x->incl_alloc != y->incl_alloc) return x->incl_alloc > y->incl_alloc ? -1 : 1;
  if (x->incl_freed != y->incl_freed) return x->incl_freed > y->incl_freed ? -1 : 1;
  return m < n ? -1 : m > n;
}

static int by_record(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* Each number is a record of its own. */
static void keep_all(struct gpm_page_numbers *n, uint64_t count) {
  n->count = (uint32_t)count;
  n->record = gpm_memory_array(count, sizeof *n->record);
  n->number = gpm_memory_array(count, sizeof *n->number);
  for (uint32_t i = 0; i < n->count; i++) n->record[i] = n->number[i] = i;
}

static void keep_heaviest(struct gpm_page_numbers *nodes, const struct gpm_path_rank *rank,
                          uint32_t most) {
  const struct gpm_profile *p = rank->profile;
  keep_all(nodes, p->node_count);
  gpm_order_first(nodes->record + 1, p->node_count - 1, most - 1, heavier, (void *)(uintptr_t)rank);
  nodes->count = most; /* the root, and the heaviest of the others */
  qsort(nodes->record, most, sizeof *nodes->record, by_record);
  uint32_t kept = 0;
  for (uint32_t n = 0; n < p->node_count; n++) {
    if (kept < most && nodes->record[kept] == n) nodes->number[n] = kept++;
    else nodes->number[n] = nodes->number[p->tree.node[n].parent];
  }
}

/* ---- cells and pairs ---------------------------------------------------------------------------
 */

static uint32_t add(struct gpm_page_numbers *n, struct gpm_map *known, uint64_t key,
                    uint32_t record) {
  uint64_t *number = gpm_map_at(known, key, n->count);
  if (*number == n->count) n->record[n->count++] = record;
  return n->number[record] = (uint32_t)*number;
}

/* Alike: of one node, device and kind, with one label. A key of 64 bits for these and another for
 * the label: labels are few, so they are counted. */
static void join_cells(struct gpm_page_paths *paths, const struct gpm_profile *p) {
  struct gpm_page_numbers *cells = &paths->cells;
  struct gpm_map indices = {0}, known = {0};
  keep_all(cells, p->reader->cells.count);
  cells->count = 0;
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (const struct gpumemprof_capture_cell *c; (c = gpm_cursor_next(&at));) {
    uint64_t what = (uint64_t)c->label << 32 | (uint64_t)c->device << 16 | c->kind;
    uint64_t index = *gpm_map_at(&indices, what, indices.count);
    add(cells, &known, index << 32 | paths->nodes.number[c->node], (uint32_t)at.number);
  }
  gpm_map_free(&indices);
  gpm_map_free(&known);
}

static void join_pairs(struct gpm_page_paths *paths, const struct gpm_profile *p) {
  struct gpm_map known = {0};
  keep_all(&paths->pairs, p->reader->pairs.count);
  paths->pairs.count = 0;
  struct gpm_cursor at = {.records = &p->reader->pairs};
  for (const struct gpumemprof_capture_pair *pair; (pair = gpm_cursor_next(&at));)
    add(&paths->pairs, &known,
        (uint64_t)paths->cells.number[pair->cell] << 32 | paths->nodes.number[pair->free_node],
        (uint32_t)at.number);
  gpm_map_free(&known);
}

/* ---- figures -----------------------------------------------------------------------------------
 */

/* Adds the additive figures of the nodes that are left out. Calls and own peaks do not add up, and
 * stay those of the node itself. */
static void add_left_out(struct gpm_page_paths *paths, const struct gpm_profile *p) {
  struct gpm_cursor at = {.records = &p->reader->cells};
  for (struct gpm_addend a; gpm_rows_next_cell(p, &at, &a);) {
    uint32_t number = paths->nodes.number[a.cell->node];
    if (paths->nodes.record[number] == a.cell->node) continue;
    struct gpm_row *row = &paths->rows.row[number];
    gpm_row_add(row, GPM_FIGURE_self_at_peak, a.at_peak);
    gpm_row_add(row, GPM_FIGURE_self_alloc, a.allocated.bytes);
    gpm_row_add(row, GPM_FIGURE_blocks, a.allocated.blocks);
    if (a.cell->kind != GPUMEMPROF_KIND_STATIC) gpm_row_add(row, GPM_FIGURE_leaked, a.left.bytes);
  }
}

void gpm_page_paths_make(struct gpm_page_paths *paths, const struct gpm_profile *p, uint32_t most) {
  *paths = (struct gpm_page_paths){.all = most >= p->node_count};
  struct gpm_path_rank rank;
  gpm_path_rank_make(&rank, p, GPM_FIGURE_escaped);
  paths->at_peak = rank.sums[0].at_peak;
  paths->allocated = rank.sums[0].incl_alloc;
  paths->escaped = rank.sums[0].value;
  if (paths->all) {
    gpm_path_rank_free(&rank);
    keep_all(&paths->nodes, p->node_count);
    keep_all(&paths->cells, p->reader->cells.count);
    keep_all(&paths->pairs, p->reader->pairs.count);
    gpm_rows_make(&paths->rows, p, GPM_BY_PATH);
    return;
  }
  keep_heaviest(&paths->nodes, &rank, most);
  gpm_path_rank_free(&rank);
  join_cells(paths, p);
  join_pairs(paths, p);
  gpm_rows_make_paths(&paths->rows, p, paths->nodes.record, most);
  add_left_out(paths, p);
}

void gpm_page_paths_free(struct gpm_page_paths *paths) {
  struct gpm_page_numbers *numbers[] = {&paths->nodes, &paths->cells, &paths->pairs};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    free(numbers[i]->record);
    free(numbers[i]->number);
  }
  gpm_rows_free(&paths->rows);
}
