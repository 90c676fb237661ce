/* order.c - see order.h. */
#include "rows/order.h"

#include "rows/locations.h"

#include <stdlib.h>
#include <string.h>

struct sorting {
  const struct gpm_rows *rows;
  unsigned column;
};

static int compare_text(const struct gpm_reader *r, uint32_t a, uint32_t b) {
  return a == b ? 0 : strcmp(gpm_reader_string(r, a), gpm_reader_string(r, b));
}

static int compare_keys(const struct gpm_reader *r, const struct gpm_key *a,
                        const struct gpm_key *b) {
  int by = a->file == b->file
               ? 0
               : gpm_order_texts(gpm_reader_string(r, a->file), gpm_reader_string(r, b->file));
  if (!by && a->line != b->line) by = a->line < b->line ? -1 : 1;
  if (!by && a->scope_line != b->scope_line) by = a->scope_line < b->scope_line ? -1 : 1;
  if (!by) by = compare_text(r, a->function, b->function);
  return by ? by : compare_text(r, a->name, b->name);
}

int gpm_order_paths(const struct gpm_profile *p, uint32_t a, uint32_t b) {
  const struct gpm_rows rows = {.profile = p, .by = GPM_BY_PATH};
  uint32_t x = a, y = b;
  while (x != y && x && y) {
    if (p->site[x] != p->site[y]) {
      struct gpm_row one = {.key = x}, other = {.key = y};
      struct gpm_key first = gpm_locations_key(&rows, &one),
                     second = gpm_locations_key(&rows, &other);
      int by = compare_keys(p->reader, &first, &second);
      if (by) return by;
      const struct gpumemprof_capture_site *s, *t;
      if (p->site[x] == GPUMEMPROF_NONE || p->site[y] == GPUMEMPROF_NONE)
        return p->site[x] == GPUMEMPROF_NONE ? -1 : 1;
      s = gpm_reader_site(p->reader, p->site[x]);
      t = gpm_reader_site(p->reader, p->site[y]);
      if (s->column != t->column) return s->column < t->column ? -1 : 1;
    }
    x = p->tree.node[x].parent;
    y = p->tree.node[y].parent;
  }
  if (p->tree.node[a].depth != p->tree.node[b].depth)
    return p->tree.node[a].depth < p->tree.node[b].depth ? -1 : 1;
  return a < b ? -1 : a > b;
}

/* Rows of kinds of memory, devices, streams and threads, by their names: GPU 2 before GPU 10, and
 * last what is named as having none, such as "(no stream)". */
static int compare_names(const struct gpm_rows *rows, uint32_t a, uint32_t b) {
  char *x = gpm_locations_row(rows, &rows->row[a]), *y = gpm_locations_row(rows, &rows->row[b]);
  int by = (*x == '(') - (*y == '(');
  if (!by) by = strverscmp(x, y);
  free(x);
  free(y);
  return by;
}

static int compare_locations(const struct gpm_rows *rows, uint32_t a, uint32_t b) {
  if (rows->by == GPM_BY_PATH)
    return gpm_order_paths(rows->profile, rows->row[a].key, rows->row[b].key);
  if (gpm_by_is_text(rows->by)) {
    const struct gpm_reader *r = rows->profile->reader;
    int by = gpm_order_texts(gpm_reader_string(r, gpm_locations_name(rows, &rows->row[a])),
                             gpm_reader_string(r, gpm_locations_name(rows, &rows->row[b])));
    return by ? by : a < b ? -1 : a > b;
  }
  if (gpm_by_is_flat(rows->by) && rows->by != GPM_BY_SIZE) {
    int by = compare_names(rows, a, b);
    return by ? by : a < b ? -1 : a > b;
  }
  struct gpm_key first = gpm_locations_key(rows, &rows->row[a]),
                 second = gpm_locations_key(rows, &rows->row[b]);
  int by = compare_keys(rows->profile->reader, &first, &second);
  return by ? by : a < b ? -1 : a > b;
}

static int compare_figures(const struct gpm_row *a, const struct gpm_row *b,
                           enum gpm_figure figure) {
  bool x = gpm_row_knows(a, figure), y = gpm_row_knows(b, figure);
  if (x != y) return x ? -1 : 1;
  return a->value[figure] > b->value[figure] ? -1 : a->value[figure] < b->value[figure];
}

int gpm_order_texts(const char *a, const char *b) {
  if (!*a != !*b) return *a ? -1 : 1;
  return strcmp(a, b);
}

static int compare_texts(const struct gpm_rows *rows, uint32_t a, uint32_t b, unsigned column) {
  if (column == GPM_TEXT_location || column == GPM_TEXT_file || column == GPM_TEXT_line)
    return 0; /* the location */
  char *x = gpm_columns_text(rows, &rows->row[a], column),
       *y = gpm_columns_text(rows, &rows->row[b], column);
  int by = gpm_order_texts(x, y);
  free(x);
  free(y);
  return by;
}

static int compare_rows(const void *a, const void *b, void *data) {
  const struct sorting *s = data;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  int by;
  if (s->column < GPM_FIGURE_COUNT) {
    const struct gpm_row *one = &s->rows->row[x], *other = &s->rows->row[y];
    by = compare_figures(one, other, (enum gpm_figure)s->column);
    if (!by) by = compare_figures(one, other, GPM_FIGURE_incl_alloc);
    if (!by) by = compare_figures(one, other, GPM_FIGURE_self_alloc);
  } else by = compare_texts(s->rows, x, y, s->column);
  return by ? by : compare_locations(s->rows, x, y);
}

void gpm_order_sort(uint32_t *row, uint32_t count, const struct gpm_rows *rows, unsigned column) {
  struct sorting sorting = {rows, column};
  if (count) qsort_r(row, count, sizeof *row, compare_rows, &sorting);
}

/* ---- the first --------------------------------------------------------------------------------
 */

/* Sifts down from `at` in a heap whose top is the item that comes last. */
static void sink(uint32_t *heap, uint32_t count, uint32_t at, gpm_order_compare *compare,
                 void *data) {
  for (;;) {
    uint64_t below = 2 * (uint64_t)at + 1;
    if (below >= count) return;
    if (below + 1 < count && compare(&heap[below + 1], &heap[below], data) > 0) below++;
    if (compare(&heap[below], &heap[at], data) <= 0) return;
    uint32_t moved = heap[at];
    heap[at] = heap[below];
    heap[below] = moved;
    at = (uint32_t)below;
  }
}

void gpm_order_first(uint32_t *item, uint32_t count, uint32_t most, gpm_order_compare *compare,
                     void *data) {
  if (!most || !count) return;
  if (most < count) {
    for (uint32_t i = most / 2 + 1; i-- > 0;) sink(item, most, i, compare, data);
    for (uint32_t i = most; i < count; i++) {
      if (compare(&item[i], &item[0], data) >= 0) continue;
      item[0] = item[i];
      sink(item, most, 0, compare, data);
    }
  }
  qsort_r(item, most < count ? most : count, sizeof *item, compare, data);
}

void gpm_order_make(struct gpm_order *order, const struct gpm_rows *rows, unsigned column,
                    bool positive) {
  order->row = gpm_memory_array(rows->count, sizeof *order->row);
  order->count = 0;
  for (uint32_t i = 0; i < rows->count; i++)
    if (gpm_rows_is_shown(rows, i) && (!positive || rows->row[i].value[column] > 0))
      order->row[order->count++] = i;
  gpm_order_sort(order->row, order->count, rows, column);
}

void gpm_order_free(struct gpm_order *order) {
  free(order->row);
}
