/* tree_levels.c - which levels of the call tree are shown, and in which order: see tree.h. A level
 * is left out if it is small, 0 in every column, or beyond --limit. */
#include "print/tree.h"

#include "rows/least.h"
#include "rows/order.h"
#include "support/memory.h"

#include <stdlib.h>

const unsigned gpm_tree_columns[] = {
    GPM_FIGURE_at_peak, GPM_FIGURE_incl_alloc, GPM_FIGURE_incl_net, GPM_FIGURE_own_peak_max,
    GPM_FIGURE_calls,   GPM_FIGURE_leaked,     GPM_TEXT_location};

static bool is_level(const struct gpm_tree *o, uint32_t n) {
  const struct gpm_profile *p = o->rows->profile;
  if (!n) return false;
  if (!gpm_profile_is_scope(p, n)) return true;
  if (o->cupy) return false;
  uint32_t above = p->tree.node[n].parent;
  return p->kind[n] == GPUMEMPROF_SITE_BLOCK || !above || gpm_profile_is_scope(p, above);
}

uint32_t gpm_tree_above(const struct gpm_tree *o, uint32_t n) {
  do n = o->rows->profile->tree.node[n].parent;
  while (n && !is_level(o, n));
  return n;
}

static uint64_t weight(const struct gpm_row *row, enum gpm_figure figure) {
  return (uint64_t)row->value[figure];
}

/* Whether a column of the table is not 0, an allocation failed, or memory was freed. */
static bool is_any(const struct gpm_row *row) {
  for (size_t i = 0; i < GPM_TREE_COLUMNS; i++)
    if (gpm_tree_columns[i] < GPM_FIGURE_COUNT && row->value[gpm_tree_columns[i]]) return true;
  return row->value[GPM_FIGURE_failed_calls] || row->value[GPM_FIGURE_incl_freed];
}

static int heavier(const void *a, const void *b, void *data) {
  const struct gpm_rows *rows = data;
  uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
  const struct gpm_row *x = &rows->row[m], *y = &rows->row[n];
  const enum gpm_figure figures[] = {GPM_FIGURE_at_peak, GPM_FIGURE_incl_alloc,
                                     GPM_FIGURE_incl_freed};
  for (int i = 0; i < 3; i++)
    if (weight(x, figures[i]) != weight(y, figures[i]))
      return weight(x, figures[i]) > weight(y, figures[i]) ? -1 : 1;
  return m < n ? -1 : m > n;
}

/* What a table does not show, by node: 1 a variable that fills no page, or a branch of these alone;
 * 2 a branch that is 0 in every column, and so is all below it. Null: it shows all. */
static uint8_t *find_hidden(struct gpm_tree *o, struct gpm_rows *rows) {
  const struct gpm_profile *p = rows->profile;
  if (gpm_input_shows_all(&o->input) || o->cupy) return NULL;
  struct gpm_small_variables *of_row = gpm_small_variables_of_rows(rows);
  uint8_t *hidden = gpm_memory_array(p->node_count, 1);
  uint8_t *matters = gpm_memory_array(p->node_count, 1); /* the node, or a node below it */
  uint64_t *small = gpm_memory_array(p->node_count, sizeof *small);
  for (uint32_t n = 1; n < p->node_count; n++)
    if (of_row[n].variables)
      gpm_small_rows_add(&o->small_rows, of_row[n].variables, of_row[n].bytes);
  bool many = gpm_small_rows_are_many(&o->small_rows);
  o->small_rows = (struct gpm_small_rows){.rows = 0};
  for (uint32_t n = p->node_count; n-- > 1;) {
    const struct gpm_row *row = &rows->row[n];
    if (many) small[n] += of_row[n].bytes;
    bool only_small = small[n] && weight(row, GPM_FIGURE_incl_alloc) == small[n] &&
                      weight(row, GPM_FIGURE_incl_freed) <= small[n] &&
                      !row->value[GPM_FIGURE_failed_calls];
    if (only_small && of_row[n].variables)
      gpm_small_rows_add(&o->small_rows, of_row[n].variables, of_row[n].bytes);
    matters[n] |= !only_small && is_any(row);
    hidden[n] = only_small ? 1 : matters[n] || o->input.columns ? 0 : 2;
    small[p->tree.node[n].parent] += small[n];
    matters[p->tree.node[n].parent] |= matters[n];
  }
  free(of_row);
  free(matters);
  free(small);
  return hidden;
}

static void sort_levels(const struct gpm_tree *o, uint32_t *level, uint32_t count) {
  if (o->sort != GPM_TREE_BY_WEIGHT) gpm_order_sort(level, count, o->rows, o->sort);
  else if (count) qsort_r(level, count, sizeof *level, heavier, (void *)(uintptr_t)o->rows);
}

/* --min */
static bool is_small(const struct gpm_tree *o, const struct gpm_row *row) {
  if (o->sort == GPM_TREE_BY_WEIGHT)
    return weight(row, GPM_FIGURE_incl_alloc) + weight(row, GPM_FIGURE_incl_freed) < o->input.least;
  enum gpm_figure figure = gpm_least_of(o->sort, GPM_FIGURE_at_peak);
  return gpm_least_hides(o->input.least, figure, gpm_row_knows(row, figure), row->value[figure]);
}

/* All levels that a filter leaves, without hidden nodes. The caller frees them. */
static uint32_t *find_levels(struct gpm_tree *o, const uint8_t *hidden, uint32_t *count) {
  const struct gpm_profile *p = o->rows->profile;
  uint32_t *level = gpm_memory_array(p->node_count, sizeof *level);
  *count = 0;
  for (uint32_t n = 1; n < p->node_count; n++) {
    const struct gpm_row *row = &o->rows->row[n];
    uint64_t allocated = weight(row, GPM_FIGURE_incl_alloc),
             moved = allocated + weight(row, GPM_FIGURE_incl_freed);
    bool held =
        moved ||
        weight(row, GPM_FIGURE_at_peak); /* within a window it may have been live from the begin */
    bool of_wrapper = p->reader->via && !row->value[GPM_FIGURE_failed_calls]; /* if it is empty */
    if (!is_level(o, n) || (o->cupy && !allocated)) continue;
    if (!held && (!p->all_cells_shown || of_wrapper)) continue;
    if (hidden && hidden[n]) o->zeros += hidden[n] == 2;
    else level[(*count)++] = n;
  }
  return level;
}

/* The levels that are kept, by node; to be freed. A level is kept together with its ancestors; if
 * there is no room for all of these, the innermost levels are dropped. */
static uint8_t *keep(const struct gpm_tree *o, const uint32_t *level, uint32_t count) {
  uint8_t *kept = gpm_memory_array(o->rows->profile->node_count, 1);
  uint32_t room = gpm_input_shown_in(&o->input, o->cupy ? GPM_FORMAT_JSON : o->input.format, count);
  for (uint32_t i = 0; i < count && room; i++) {
    uint32_t needed = 0, n = level[i];
    if (is_small(o, &o->rows->row[n])) continue;
    for (uint32_t above = n; above && !kept[above]; above = gpm_tree_above(o, above)) needed++;
    for (; needed > room; needed--) n = gpm_tree_above(o, n);
    for (room -= needed; n && !kept[n]; n = gpm_tree_above(o, n)) kept[n] = 1;
  }
  return kept;
}

/* Links the levels that are kept, the first child first. */
static void link_levels(struct gpm_tree *o, const uint8_t *hidden) {
  uint32_t nodes = o->rows->profile->node_count, count, *level = find_levels(o, hidden, &count);
  o->first_child = gpm_memory_array(nodes, sizeof *o->first_child);
  o->next = gpm_memory_array(nodes, sizeof *o->next);
  o->left = gpm_memory_array(nodes, sizeof *o->left);
  sort_levels(o, level, count);
  uint8_t *kept = keep(o, level, count);
  for (uint32_t i = count; i-- > 0;) {
    uint32_t above = gpm_tree_above(o, level[i]);
    if (!kept[level[i]]) {
      o->left[above]++;
      continue;
    }
    o->next[level[i]] = o->first_child[above];
    o->first_child[above] = level[i];
  }
  free(kept);
  free(level);
}

void gpm_tree_visit(struct gpm_tree *o, gpm_tree_visitor *act, void *data) {
  uint32_t n = o->first_child[0];
  unsigned depth = 1;
  while (n) {
    act(o, n, depth, data);
    if (o->first_child[n]) {
      n = o->first_child[n];
      depth++;
      continue;
    }
    while (n && !o->next[n]) {
      n = gpm_tree_above(o, n);
      depth--;
    }
    n = n ? o->next[n] : 0;
  }
}

void gpm_tree_make(struct gpm_tree *o, struct gpm_rows *rows) {
  o->rows = rows;
  uint8_t *hidden = find_hidden(o, rows);
  link_levels(o, hidden);
  free(hidden);
}

void gpm_tree_free(struct gpm_tree *o) {
  free(o->first_child);
  free(o->next);
  free(o->left);
}
