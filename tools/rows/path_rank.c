/* path_rank.c - see path_rank.h. The sums are computed as in rows_tree.c: first those of each
 * node itself, then over its subtree, from the leaves up. */
#include "rows/path_rank.h"

#include "model/split_cells.h"
#include "rows/order.h"
#include "rows/rows_make.h"

#include <stdlib.h>

enum scope { OF_NODE, OF_SUBTREE };

static const struct ranked {
  enum gpm_figure figure;
  enum scope scope;
} ranked[] = {
    {GPM_FIGURE_at_peak, OF_SUBTREE},        {GPM_FIGURE_incl_alloc, OF_SUBTREE},
    {GPM_FIGURE_incl_requested, OF_SUBTREE}, {GPM_FIGURE_incl_freed, OF_SUBTREE},
    {GPM_FIGURE_incl_net, OF_SUBTREE},       {GPM_FIGURE_escaped, OF_SUBTREE},
    {GPM_FIGURE_self_at_peak, OF_NODE},      {GPM_FIGURE_self_alloc, OF_NODE},
    {GPM_FIGURE_self_requested, OF_NODE},    {GPM_FIGURE_self_freed, OF_NODE},
    {GPM_FIGURE_self_net, OF_NODE},          {GPM_FIGURE_leaked, OF_NODE},
    {GPM_FIGURE_leaked_blocks, OF_NODE},     {GPM_FIGURE_blocks, OF_NODE},
    {GPM_FIGURE_temporary_blocks, OF_NODE},
};

static const struct ranked *find(unsigned column) {
  for (size_t i = 0; i < sizeof ranked / sizeof *ranked; i++)
    if ((unsigned)ranked[i].figure == column) return &ranked[i];
  return NULL;
}

bool gpm_path_rank_can(unsigned column) {
  return find(column) != NULL;
}

static bool is_static(const struct gpm_addend *a) {
  return a->cell->kind == GPUMEMPROF_KIND_STATIC; /* it exists until the end, and is not a leak */
}

/* Returns what a cell contributes to the column, before the sum over a subtree. */
static uint64_t value_of_cell(enum gpm_figure column, const struct gpm_addend *a) {
  switch (column) {
  case GPM_FIGURE_at_peak:
  case GPM_FIGURE_self_at_peak:
    return a->at_peak;
  case GPM_FIGURE_incl_alloc:
  case GPM_FIGURE_self_alloc:
  case GPM_FIGURE_incl_net:
  case GPM_FIGURE_self_net:
    return a->allocated.bytes;
  case GPM_FIGURE_incl_requested:
  case GPM_FIGURE_self_requested:
    return a->requested;
  case GPM_FIGURE_escaped:
    return a->left.bytes;
  case GPM_FIGURE_leaked:
    return is_static(a) ? 0 : a->left.bytes;
  case GPM_FIGURE_leaked_blocks:
    return is_static(a) ? 0 : a->left.blocks;
  case GPM_FIGURE_blocks:
    return a->allocated.blocks;
  case GPM_FIGURE_temporary_blocks:
    return a->cell->temporary_blocks;
  default:
    return 0;
  }
}

static uint64_t value_of_free(enum gpm_figure column, uint64_t bytes) {
  switch (column) {
  case GPM_FIGURE_incl_freed:
  case GPM_FIGURE_self_freed:
    return bytes;
  case GPM_FIGURE_incl_net:
  case GPM_FIGURE_self_net:
    return 0 - bytes;
  default:
    return 0;
  }
}

static void add_cells(struct gpm_path_rank *k) {
  struct gpm_cursor at = {.records = &k->profile->reader->cells};
  for (struct gpm_addend a; gpm_rows_next_cell(k->profile, &at, &a);) {
    struct gpm_path_sums *s = &k->sums[a.cell->node];
    s->at_peak += a.at_peak;
    s->incl_alloc += a.allocated.bytes;
    s->self_alloc += a.allocated.bytes;
    s->leaked_blocks += is_static(&a) ? 0 : a.left.blocks;
    s->value += value_of_cell(k->column, &a);
    s->called |= a.allocated.blocks != 0;
  }
}

static void add_frees(struct gpm_path_rank *k) {
  struct gpm_cursor at = {.records = &k->profile->reader->pairs};
  for (const struct gpumemprof_capture_pair *pair; (pair = gpm_cursor_next(&at));) {
    if (!k->profile->cell_shown[pair->cell]) continue;
    struct gpm_path_sums *s = &k->sums[pair->free_node];
    s->incl_freed += pair->freed.bytes;
    s->value += value_of_free(k->column, pair->freed.bytes);
    s->called |= pair->freed.blocks != 0;
  }
}

static void add_failures(struct gpm_path_rank *k) {
  struct gpm_cursor at = {.records = &k->profile->reader->nodes};
  for (const struct gpumemprof_capture_node *n; (n = gpm_cursor_next(&at));)
    k->sums[at.number].failed = n->failed_calls != 0;
}

/* The figures of a scope are those of the call that entered it; a call with activations of its own
 * has their own peak. */
static void add_activations(struct gpm_path_rank *k) {
  const struct gpm_profile *p = k->profile;
  struct gpm_activations_at at = {.nodes.records = &p->reader->nodes};
  for (struct gpm_activations a; gpm_rows_next_activations(p, &at, &a);) {
    bool scope = gpm_profile_is_scope(p, a.node);
    if (!scope && !p->spans[a.node]) continue;
    uint32_t above = p->tree.node[a.node].parent;
    bool entered = scope && above && !gpm_profile_is_scope(p, above);
    struct gpm_path_sums *s = &k->sums[entered ? above : a.node];
    s->called |= scope && a.calls != 0;
    s->peaked |= !p->spans[above] && a.peak_max != 0;
  }
}

/* Adds the sums of each node to its parent, from the leaves up: a parent has a smaller number. */
static void add_subtrees(struct gpm_path_rank *k) {
  bool value = find(k->column)->scope == OF_SUBTREE;
  for (uint32_t n = k->profile->node_count; n-- > 1;) {
    struct gpm_path_sums *s = &k->sums[n], *above = &k->sums[k->profile->tree.node[n].parent];
    above->at_peak += s->at_peak;
    above->incl_alloc += s->incl_alloc;
    above->incl_freed += s->incl_freed;
    if (value) above->value += s->value;
  }
}

static uint64_t bit(enum gpm_figure figure) {
  return (uint64_t)1 << figure;
}

/* As in rows.c: figures that were recorded over all memory together say nothing about a part of it.
 */
static uint64_t known_figures(const struct gpm_profile *p, enum gpm_figure column) {
  uint64_t known = bit(column) | bit(GPM_FIGURE_at_peak) | bit(GPM_FIGURE_incl_alloc) |
                   bit(GPM_FIGURE_incl_freed) | bit(GPM_FIGURE_incl_net) |
                   bit(GPM_FIGURE_self_alloc) | bit(GPM_FIGURE_leaked_blocks) |
                   bit(GPM_FIGURE_failed_calls);
  bool scopes = !gpm_split_is_part(p->reader) || p->reader->split->scopes;
  if (scopes) known |= bit(GPM_FIGURE_calls);
  if (scopes && p->all_cells_shown) known |= bit(GPM_FIGURE_own_peak_max);
  return known;
}

void gpm_path_rank_make(struct gpm_path_rank *k, const struct gpm_profile *profile,
                        enum gpm_figure column) {
  *k = (struct gpm_path_rank){
      .profile = profile,
      .column = column,
      .known = known_figures(profile, column),
      .sums = gpm_memory_array((size_t)profile->node_count + 1, sizeof(struct gpm_path_sums))};
  add_cells(k);
  add_frees(k);
  add_failures(k);
  add_activations(k);
  add_subtrees(k);
}

void gpm_path_rank_free(struct gpm_path_rank *k) {
  free(k->sums);
}

void gpm_path_rank_row(const struct gpm_path_rank *k, uint32_t node, struct gpm_row *row) {
  const struct gpm_path_sums *s = &k->sums[node];
  row->key = node;
  row->site = k->profile->site[node];
  row->known = k->known;
  row->value[k->column] = (int64_t)s->value;
  row->value[GPM_FIGURE_at_peak] = (int64_t)s->at_peak;
  row->value[GPM_FIGURE_own_peak_max] = s->peaked;
  row->value[GPM_FIGURE_incl_alloc] = (int64_t)s->incl_alloc;
  row->value[GPM_FIGURE_incl_freed] = (int64_t)s->incl_freed;
  row->value[GPM_FIGURE_incl_net] = (int64_t)(s->incl_alloc - s->incl_freed);
  row->value[GPM_FIGURE_self_alloc] = (int64_t)s->self_alloc;
  row->value[GPM_FIGURE_calls] = s->called;
  row->value[GPM_FIGURE_leaked_blocks] = (int64_t)s->leaked_blocks;
  row->value[GPM_FIGURE_failed_calls] = s->failed;
}

/* ---- the first ---------------------------------------------------------------------------------
 */

static int by_number(uint64_t a, uint64_t b) {
  return (int64_t)a > (int64_t)b ? -1 : (int64_t)a < (int64_t)b;
}

static int compare(const void *a, const void *b, void *data) {
  const struct gpm_path_rank *k = data;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  const struct gpm_path_sums *s = &k->sums[x], *t = &k->sums[y];
  int by = by_number(s->value, t->value);
  if (!by) by = by_number(s->incl_alloc, t->incl_alloc);
  if (!by) by = by_number(s->self_alloc, t->self_alloc);
  return by ? by : gpm_order_paths(k->profile, x, y);
}

void gpm_path_rank_first(const struct gpm_path_rank *k, uint32_t *node, uint32_t count,
                         uint32_t most) {
  gpm_order_first(node, count, most, compare, (void *)(uintptr_t)k);
}
