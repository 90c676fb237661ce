/* list_rows.c - the rows of a report, and those of a comparison of two captures, as lists. Values
 * are read from the rows that other folders computed. See list.h.
 *
 *   rows    figures of columns.def | its texts | node
 *   diff    status | its texts | a.KEY, b.KEY and difference.KEY of each figure
 */
#include "read/list.h"

#include "comparison/compare.h"
#include "events/block_lifetimes.h"
#include "over_time/lifetimes.h"
#include "rows/columns.h"
#include "rows/locations.h"
#include "support/text.h"

#include <string.h>

/* ---- columns -----------------------------------------------------------------------------------
 */

static const struct gpm_list_column of_rows[GPM_COLUMN_COUNT + 1] = {
#define UNIT_BYTES GPUMEMPROF_READ_BYTES
#define UNIT_SIGNED GPUMEMPROF_READ_SIGNED_BYTES
#define UNIT_COUNT GPUMEMPROF_READ_COUNT
#define UNIT_PERCENT GPUMEMPROF_READ_PERCENT
#define UNIT_TIME GPUMEMPROF_READ_NS
#define GPM_FIGURE(key, title, unit, shown, merge, definition)                                     \
  [GPM_FIGURE_##key] = {#key, definition, UNIT_##unit},
#include "rows/columns.def"
#define GPM_TEXT(key, title, shown, definition)                                                    \
  [GPM_TEXT_##key] = {#key, definition, GPUMEMPROF_READ_TEXT},
#include "rows/columns.def"
    [GPM_COLUMN_COUNT] = {"node", "by path: the node that the row is of", GPUMEMPROF_READ_NUMBER},
};
_Static_assert((int)GPM_COLUMN_COUNT < (int)GPM_LIST_COLUMNS,
               "columns of a row have numbers of their own");

/* ---- rows --------------------------------------------------------------------------------------
 */

struct rows {
  struct gpm_rows rows;
  uint32_t *shown; /* by item: the row that it shows */
};

static bool rows_number(const struct gpumemprof_read_list *l, uint32_t item, int column,
                        int64_t *number) {
  const struct rows *data = l->data;
  const struct gpm_row *row = &data->rows.row[data->shown[item]];
  if (column == GPM_COLUMN_COUNT) {
    *number = row->key;
    return data->rows.by == GPM_BY_PATH;
  }
  *number = row->value[column];
  return gpm_row_knows(row, (enum gpm_figure)column);
}

static char *rows_text(const struct gpumemprof_read_list *l, uint32_t item, int column) {
  const struct rows *data = l->data;
  return gpm_columns_cell(&data->rows, &data->rows.row[data->shown[item]], (unsigned)column, 0);
}

static void drop_rows(void *arguments) {
  struct rows *data = arguments;
  gpm_rows_free(&data->rows);
  free(data->shown);
  free(data);
}

static uint32_t find_shown(struct rows *data) {
  uint32_t count = 0;
  data->shown = gpm_memory_array(data->rows.count, sizeof *data->shown);
  for (uint32_t i = 0; i < data->rows.count; i++)
    if (gpm_rows_is_shown(&data->rows, i)) data->shown[count++] = i;
  return count;
}

struct ask {
  struct gpumemprof_read *reader;
  uint32_t capture, other;
  enum gpumemprof_read_by by;
  struct gpumemprof_read_list *list;
};

/* Rows by size and by thread need split cells, so the list opens the capture a second time for
 * itself. */
static int capture_for(struct ask *a, struct gpm_read_capture **capture) {
  enum gpm_by by = (enum gpm_by)a->by;
  *capture = gpm_read_capture(a->reader, a->capture);
  if (!*capture) return GPUMEMPROF_READ_ARGUMENT;
  if ((unsigned)a->by >= GPM_BY_COUNT)
    return gpm_read_fail(a->reader, GPUMEMPROF_READ_ARGUMENT, "there are no rows by %d",
                         (int)a->by);
  if (gpm_by_needs_events(by)) return gpm_read_capture_by(a->reader, *capture, by, capture);
  (*capture)->uses++;
  return GPUMEMPROF_READ_OK;
}

static int make_rows(void *arguments) {
  struct ask *a = arguments;
  struct gpm_read_capture *capture;
  int status = capture_for(a, &capture);
  if (status) return status;
  struct rows *data = gpm_memory_array(1, sizeof *data);
  gpm_rows_make(&data->rows, capture->profile, (enum gpm_by)a->by);
  a->list = gpm_list_new(a->reader, capture, of_rows, GPM_COLUMN_COUNT + 1);
  gpm_read_capture_drop(a->reader, capture);
  a->list->data = data;
  a->list->drop = drop_rows;
  a->list->number = rows_number;
  a->list->text = rows_text;
  gpm_list_items(a->list, find_shown(data));
  return GPUMEMPROF_READ_OK;
}

struct gpumemprof_read_list *gpumemprof_read_rows(struct gpumemprof_read *r, uint32_t capture,
                                                  enum gpumemprof_read_by by) {
  struct ask a = {.reader = r, .capture = capture, .by = by};
  return gpm_read_call(r, make_rows, &a) ? NULL : a.list;
}

static int add_lifetimes(void *arguments) {
  struct gpumemprof_read_list *l = arguments;
  if (l->number != rows_number)
    return gpm_read_fail(l->reader, GPUMEMPROF_READ_ARGUMENT, "the list is not one of rows");
  struct rows *data = l->data;
  if (gpm_by_is_flat(data->rows.by))
    return gpm_read_fail(l->reader, GPUMEMPROF_READ_ARGUMENT,
                         "lifetimes are known by line, function, file or path, not by %s",
                         gpm_rows_by(data->rows.by));
  for (uint32_t i = 0; i < data->rows.count; i++) /* the columns may be filled already */
    if (gpm_row_knows(&data->rows.row[i], GPM_FIGURE_freed_blocks)) return GPUMEMPROF_READ_OK;
  bool known = gpm_block_lifetimes_are_known(l->capture->reader);
  bool found = gpm_lifetimes_add(&data->rows, l->capture->reader) != GPM_LIFETIMES_BY_SUMS;
  return found || !known ? GPUMEMPROF_READ_OK : GPUMEMPROF_READ_CAPTURE;
}

int gpumemprof_read_lifetimes(struct gpumemprof_read_list *rows) {
  return gpm_read_call(rows ? rows->reader : NULL, add_lifetimes, rows);
}

/* ---- two captures ------------------------------------------------------------------------------
 */

enum { STATUS, RENAMED, LINE_A, LINE_B, FIRST_TEXT };
enum { TEXTS = (int)GPM_COLUMN_COUNT - (int)GPM_FIGURE_COUNT, FIRST_FIGURE = FIRST_TEXT + TEXTS };
enum { DIFF_COLUMNS = FIRST_FIGURE + 3 * GPM_FIGURE_LIFETIMES };
_Static_assert((int)DIFF_COLUMNS < (int)GPM_LIST_COLUMNS,
               "columns of a difference have numbers of their own");

struct diff {
  struct gpm_side side[2];
  struct gpm_comparison comparison;
  struct gpm_read_capture *before;
  struct gpumemprof_read *reader;
  struct gpm_list_column column[DIFF_COLUMNS];
  char *key[3 * GPM_FIGURE_LIFETIMES];
};

static enum gpumemprof_read_unit difference_unit(enum gpumemprof_read_unit unit) {
  return unit == GPUMEMPROF_READ_BYTES || unit == GPUMEMPROF_READ_SIGNED_BYTES
             ? GPUMEMPROF_READ_SIGNED_BYTES
         : unit == GPUMEMPROF_READ_PERCENT ? GPUMEMPROF_READ_SIGNED_PERCENT
         : unit == GPUMEMPROF_READ_NS      ? GPUMEMPROF_READ_SIGNED_NS
                                           : GPUMEMPROF_READ_SIGNED;
}

static void name_columns(struct diff *d) {
  static const char *const sides[] = {"a", "b", "difference"};
  d->column[STATUS] = (struct gpm_list_column){
      "status", "new, gone, grown, shrunk, changed or same", GPUMEMPROF_READ_TEXT};
  d->column[RENAMED] = (struct gpm_list_column){
      "renamed", "1: its variable or size is written otherwise now", GPUMEMPROF_READ_FLAG};
  d->column[LINE_A] = (struct gpm_list_column){"line_a", "its line before", GPUMEMPROF_READ_NUMBER};
  d->column[LINE_B] = (struct gpm_list_column){"line_b", "its line after", GPUMEMPROF_READ_NUMBER};
  for (int i = 0; i < TEXTS; i++) d->column[FIRST_TEXT + i] = of_rows[GPM_FIGURE_COUNT + i];
  for (int f = 0; f < GPM_FIGURE_LIFETIMES; f++) {
    struct gpm_list_column *to = &d->column[FIRST_FIGURE + 3 * f];
    for (int side = 0; side < 3; side++) {
      to[side] = of_rows[f];
      to[side].key = d->key[3 * f + side] = gpm_memory_format("%s.%s", sides[side], to[side].key);
    }
    to[2].unit = difference_unit(of_rows[f].unit);
  }
}

static bool line_number(const struct diff *d, const struct gpm_matched *pair, unsigned side,
                        int64_t *number) {
  const struct gpm_row *row = gpm_compare_row(&d->comparison, pair, side);
  if (!row) return false;
  *number = gpm_columns_line(&d->side[side].rows, row);
  return true;
}

static bool diff_number(const struct gpumemprof_read_list *l, uint32_t item, int column,
                        int64_t *number) {
  const struct diff *d = l->data;
  const struct gpm_matched *pair = &d->comparison.match.pair[item];
  if (column == RENAMED) {
    *number = pair->renamed;
    return true;
  }
  if (column == LINE_A || column == LINE_B) return line_number(d, pair, column == LINE_B, number);
  enum gpm_figure figure = (enum gpm_figure)((column - FIRST_FIGURE) / 3);
  unsigned side = (unsigned)(column - FIRST_FIGURE) % 3;
  const struct gpm_row *before = gpm_compare_row(&d->comparison, pair, 0),
                       *after = gpm_compare_row(&d->comparison, pair, 1);
  bool knows[2] = {before && gpm_row_knows(before, figure), after && gpm_row_knows(after, figure)};
  *number = side < 2 ? gpm_compare_value(&d->comparison, pair, side, figure)
                     : gpm_compare_difference(&d->comparison, pair, figure);
  return side < 2 ? knows[side] : knows[0] || knows[1];
}

static enum gpm_status status_of(const struct diff *d, const struct gpm_matched *pair) {
  static const enum gpm_figure figures[] = {GPM_FIGURE_at_peak, GPM_FIGURE_self_alloc,
                                            GPM_FIGURE_incl_net, GPM_FIGURE_leaked,
                                            GPM_FIGURE_calls};
  return gpm_compare_status(&d->comparison, pair, figures, sizeof figures / sizeof *figures);
}

/* Returns the text of the capture after, or of the capture before if the row is gone. */
static char *diff_text(const struct gpumemprof_read_list *l, uint32_t item, int column) {
  const struct diff *d = l->data;
  const struct gpm_matched *pair = &d->comparison.match.pair[item];
  if (column == STATUS) return gpm_memory_text(gpm_status_names[status_of(d, pair)]);
  unsigned side = pair->row[1] == GPUMEMPROF_NONE ? 0 : 1;
  return gpm_columns_cell(&d->side[side].rows, gpm_compare_row(&d->comparison, pair, side),
                          (unsigned)(column - FIRST_TEXT + GPM_FIGURE_COUNT), 0);
}

static void drop_diff(void *arguments) {
  struct diff *d = arguments;
  gpm_compare_free(&d->comparison);
  for (unsigned i = 0; i < 2; i++) {
    gpm_rows_free(&d->side[i].rows);
    gpm_profile_free(d->side[i].profile);
  }
  for (size_t i = 0; i < sizeof d->key / sizeof *d->key; i++) free(d->key[i]);
  gpm_read_capture_drop(d->reader, d->before);
  free(d);
}

static int make_diff(void *arguments) {
  struct ask *a = arguments;
  struct gpm_read_capture *before = gpm_read_capture(a->reader, a->capture), *after;
  if (!before || !(after = gpm_read_capture(a->reader, a->other))) return GPUMEMPROF_READ_ARGUMENT;
  if (a->by != GPUMEMPROF_READ_BY_LINE && a->by != GPUMEMPROF_READ_BY_FUNCTION)
    return gpm_read_fail(a->reader, GPUMEMPROF_READ_ARGUMENT,
                         "captures are compared by line or by function");
  struct diff *d = gpm_memory_array(1, sizeof *d);
  gpm_side_make(&d->side[0], before->reader, before->filter, (enum gpm_by)a->by);
  gpm_side_make(&d->side[1], after->reader, after->filter, (enum gpm_by)a->by);
  gpm_compare_make(&d->comparison, &d->side[0], &d->side[1]);
  d->reader = a->reader;
  d->before = before;
  before->uses++;
  name_columns(d);
  a->list = gpm_list_new(a->reader, after, d->column, DIFF_COLUMNS);
  a->list->data = d;
  a->list->drop = drop_diff;
  a->list->number = diff_number;
  a->list->text = diff_text;
  gpm_list_items(a->list, d->comparison.match.count);
  return GPUMEMPROF_READ_OK;
}

struct gpumemprof_read_list *gpumemprof_read_diff(struct gpumemprof_read *r, uint32_t before,
                                                  uint32_t after, enum gpumemprof_read_by by) {
  struct ask a = {.reader = r, .capture = before, .other = after, .by = by};
  return gpm_read_call(r, make_diff, &a) ? NULL : a.list;
}
