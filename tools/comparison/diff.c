/* diff.c - chooses and sorts the pairs of rows that a diff shows, for `gpumemprof diff` and the
 * page. */
#include "comparison/diff.h"
#include "rows/least.h"
#include "rows/locations.h"
#include "rows/order.h"
#include "support/progress.h"

#include <stdlib.h>
#include <string.h>

char *gpm_diff_text(const struct gpm_comparison *c, const struct gpm_matched *pair,
                    unsigned column) {
  unsigned side = gpm_diff_side(pair);
  return gpm_columns_text(&c->side[side]->rows, gpm_compare_row(c, pair, side), column);
}

static uint64_t size_of(int64_t difference) {
  return difference < 0 ? -(uint64_t)difference : (uint64_t)difference;
}

static bool is_wanted(const struct gpm_diff *d, const struct gpm_matched *pair) {
  const struct gpm_comparison *c = &d->comparison;
  if (d->has_threshold) {
    uint64_t by = size_of(gpm_compare_difference(c, pair, d->sort));
    return gpm_tolerance_reached(&d->threshold, (uint64_t)gpm_compare_value(c, pair, 0, d->sort),
                                 by);
  }
  if (!d->is_table) return true;
  return gpm_compare_status(c, pair, d->figure, d->figure_count) != GPM_STATUS_SAME ||
         gpm_compare_difference(c, pair, d->sort);
}

static int compare_locations(const struct gpm_diff *d, const struct gpm_matched *x,
                             const struct gpm_matched *y) {
  const struct gpm_matched *pair[2] = {x, y};
  const struct gpm_reader *reader[2];
  struct gpm_key key[2];
  for (unsigned i = 0; i < 2; i++) {
    unsigned side = gpm_diff_side(pair[i]);
    reader[i] = d->side[side].reader;
    key[i] = gpm_locations_key(&d->side[side].rows, gpm_compare_row(&d->comparison, pair[i], side));
    if (d->by == GPM_BY_FUNCTION) key[i].line = key[i].scope_line;
  }
  int by = gpm_order_texts(gpm_reader_string(reader[0], key[0].file),
                           gpm_reader_string(reader[1], key[1].file));
  if (!by && key[0].line != key[1].line) by = key[0].line < key[1].line ? -1 : 1;
  return by ? by
            : strcmp(gpm_reader_string(reader[0], key[0].function),
                     gpm_reader_string(reader[1], key[1].function));
}

static int compare_texts(const struct gpm_diff *d, const struct gpm_matched *x,
                         const struct gpm_matched *y) {
  unsigned column = d->by_text;
  if (column == GPM_TEXT_location || column == GPM_TEXT_file || column == GPM_TEXT_line)
    return compare_locations(d, x, y);
  char *one = gpm_diff_text(&d->comparison, x, column),
       *other = gpm_diff_text(&d->comparison, y, column);
  int by = gpm_order_texts(one, other);
  free(one);
  free(other);
  return by ? by : compare_locations(d, x, y);
}

/* Sorts the largest difference first, then by location, so that equal captures give equal reports.
 */
static int compare(const void *a, const void *b, void *data) {
  const struct gpm_diff *d = data;
  const struct gpm_matched *x = a, *y = b;
  int by = d->by_text ? compare_texts(d, x, y) : 0;
  if (by) return by;
  uint64_t one = size_of(gpm_compare_difference(&d->comparison, x, d->sort)),
           other = size_of(gpm_compare_difference(&d->comparison, y, d->sort));
  if (one != other) return one > other ? -1 : 1;
  for (unsigned i = 0; i < d->figure_count; i++) {
    one = size_of(gpm_compare_difference(&d->comparison, x, d->figure[i]));
    other = size_of(gpm_compare_difference(&d->comparison, y, d->figure[i]));
    if (one != other) return one > other ? -1 : 1;
  }
  by = compare_locations(d, x, y);
  if (!by && x->row[0] != y->row[0]) by = x->row[0] < y->row[0] ? -1 : 1;
  return by ? by : x->row[1] < y->row[1] ? -1 : x->row[1] > y->row[1];
}

static bool is_small_variable(const struct gpm_matched *pair,
                              struct gpm_small_variables *const of_row[2]) {
  for (unsigned i = 0; i < 2; i++)
    if (pair->row[i] != GPUMEMPROF_NONE && !of_row[i][pair->row[i]].variables) return false;
  return true;
}

static void count_small_variable(struct gpm_diff *d, const struct gpm_matched *pair,
                                 struct gpm_small_variables *const of_row[2]) {
  uint64_t most = 0; /* the larger number of variables of the two sides */
  for (unsigned i = 0; i < 2; i++) {
    if (pair->row[i] == GPUMEMPROF_NONE) continue;
    const struct gpm_small_variables *one = &of_row[i][pair->row[i]];
    if (one->variables > most) most = one->variables;
    d->small_variables_bytes[i] += one->bytes;
  }
  gpm_small_rows_add(&d->small_rows, most, 0);
}

/* Leaves out small variables as `report` does. */
static void leave_out_small_rows(struct gpm_diff *d) {
  if (!d->is_table || d->has_all) return;
  struct gpm_small_variables *of_row[2];
  for (unsigned i = 0; i < 2; i++) of_row[i] = gpm_small_variables_of_rows(&d->side[i].rows);
  for (uint32_t i = 0; i < d->row_count; i++)
    if (is_small_variable(&d->row[i], of_row)) count_small_variable(d, &d->row[i], of_row);
  if (!gpm_small_rows_are_many(&d->small_rows)) d->small_rows.rows = 0;
  uint32_t left = 0;
  for (uint32_t i = 0; i < d->row_count; i++)
    if (!d->small_rows.rows || !is_small_variable(&d->row[i], of_row)) d->row[left++] = d->row[i];
  d->row_count = left;
  for (unsigned i = 0; i < 2; i++) free(of_row[i]);
}

bool gpm_diff_knows(const struct gpm_diff *d, const struct gpm_matched *pair, unsigned side,
                    enum gpm_figure figure) {
  const struct gpm_row *row = gpm_compare_row(&d->comparison, pair, side);
  return row && gpm_row_knows(row, figure);
}

/* True if --min hides the pair: both sides have less. */
static bool is_small(const struct gpm_diff *d, const struct gpm_matched *pair) {
  for (unsigned side = 0; side < 2; side++)
    if (!gpm_least_hides(d->least, d->least_of, gpm_diff_knows(d, pair, side, d->least_of),
                         gpm_compare_value(&d->comparison, pair, side, d->least_of)))
      return false;
  return true;
}

static void choose(struct gpm_diff *d) {
  struct gpm_match *m = &d->comparison.match;
  d->row = gpm_memory_array(m->count, sizeof *d->row);
  for (uint32_t i = 0; i < m->count; i++) {
    if (is_small(d, &m->pair[i])) d->hidden++;
    else if (is_wanted(d, &m->pair[i])) d->row[d->row_count++] = m->pair[i];
  }
  if (d->row_count) qsort_r(d->row, d->row_count, sizeof *d->row, compare, d);
  leave_out_small_rows(d);
  d->shown = d->most && d->most < d->row_count ? d->most : d->row_count;
}

void gpm_diff_take_all(struct gpm_diff *d) {
  for (d->figure_count = 0; d->figure_count < GPM_FIGURE_LIFETIMES; d->figure_count++)
    d->figure[d->figure_count] = (enum gpm_figure)d->figure_count;
}

void gpm_diff_make(struct gpm_diff *d) {
  gpm_host_doing(d->side[1].reader->host, "finding lines again");
  gpm_compare_make(&d->comparison, &d->side[0], &d->side[1]);
  for (unsigned i = 0; i < 2; i++) d->totals[i] = gpm_compare_totals(&d->side[i]);
  d->sums = gpm_compare_sums(&d->comparison, d->totals, &d->adds_up);
  choose(d);
}

void gpm_diff_free(struct gpm_diff *d) {
  free(d->row);
  gpm_compare_free(&d->comparison);
}
