/* diff_table.c - prints the result of `gpumemprof diff` as a table: both runs, their peaks and
 * totals, then the rows. A is before, B after.
 *
 * A figure that is the same in all rows takes one column, else three: A, B and the difference.
 */
#include "answers/answers.h"
#include "capture/identity.h"
#include "comparison/diff.h"
#include "output/summary.h"
#include "output/table.h"
#include "print/columns_print.h"
#include "print/diff_print.h"
#include "print/selection.h"
#include "rows/locations.h"

#include <inttypes.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>

/* Without this line, a copy of a capture would look like a change of the program without effect. */
static void print_same(const struct gpm_diff *d) {
  switch (gpm_identity_compare(d->side[0].reader, d->side[1].reader)) {
  case GPM_IDENTITY_SAME_CAPTURE:
    printf("A and B are captures of the same process at the same moment: nothing can differ\n");
    break;
  case GPM_IDENTITY_SAME_PROCESS:
    printf("A and B are captures of the same process at two moments\n");
    break;
  case GPM_IDENTITY_OTHER:
    break;
  }
}

/* Returns "574.31 MiB > 702.31 MiB (+128.00 MiB)", or one figure if both are equal. The caller
 * frees it. */
static char *change(uint64_t before, uint64_t after, unsigned style) {
  char a[GPM_TEXT_NUMBER], b[GPM_TEXT_NUMBER], by[GPM_TEXT_NUMBER];
  gpm_text_bytes(b, (int64_t)after, style);
  if (before == after) return gpm_memory_text(b);
  return gpm_memory_format("%s -> %s (%s)", gpm_text_bytes(a, (int64_t)before, style), b,
                           gpm_text_bytes(by, (int64_t)(after - before), style | GPM_TEXT_SIGN));
}

static void print_device(const struct gpm_diff *d, int ordinal, unsigned style) {
  uint64_t peak[2] = {0, 0};
  const char *only = "";
  char *name = NULL;
  for (unsigned i = 0; i < 2; i++) {
    const struct gpm_reader *r = d->side[i].reader;
    uint32_t device = gpm_compare_device(r, ordinal);
    if (device == GPUMEMPROF_NONE) {
      only = i ? ", only A used it" : ", only B used it";
      continue;
    }
    peak[i] = r->devices[device].peak;
    free(name);
    name = gpm_locations_device(r, device);
  }
  char *text = change(peak[0], peak[1], style);
  if (peak[0] || peak[1] || ordinal >= 0) printf("%s: peak %s%s\n", name, text, only);
  free(text);
  free(name);
}

/* Orders GPUs by number. The separate totals have negative numbers, which as unsigned come last. */
static int by_ordinal(const void *a, const void *b) {
  unsigned x = (unsigned)*(const int *)a, y = (unsigned)*(const int *)b;
  return x < y ? -1 : x > y;
}

static void print_devices(const struct gpm_diff *d, unsigned style) {
  const struct gpm_reader *a = d->side[0].reader, *b = d->side[1].reader;
  int *ordinal = gpm_memory_array((size_t)a->device_count + b->device_count, sizeof *ordinal);
  size_t count = 0;
  for (uint32_t i = 0; i < a->device_count; i++) ordinal[count++] = a->devices[i].ordinal;
  for (uint32_t i = 0; i < b->device_count; i++)
    if (gpm_compare_device(a, b->devices[i].ordinal) == GPUMEMPROF_NONE)
      ordinal[count++] = b->devices[i].ordinal;
  if (count) qsort(ordinal, count, sizeof *ordinal, by_ordinal);
  for (size_t i = 0; i < count; i++) print_device(d, ordinal[i], style);
  free(ordinal);
}

static void print_runs(const struct gpm_diff *d) {
  for (unsigned i = 0; i < 2; i++) {
    const struct gpm_reader *r = d->side[i].reader;
    const char *command = r->header.command_line[0] ? r->header.command_line : r->header.executable;
    char *path = gpm_text_path(r->host, r->path), *program = gpm_text_clean(command);
    printf("%c: %s (%s): %s\n", "AB"[i], path, *program ? program : "unnamed program",
           gpm_state_text(gpm_reader_state(r)));
    gpm_summary_print_losses_behind(r, i ? "B " : "A ");
    free(path);
    free(program);
  }
}

/* What is said of a run that did not end by itself, or lacks something, comes before the answer. */
static bool are_whole(const struct gpm_diff *d) {
  for (unsigned i = 0; i < 2; i++) {
    const struct gpm_reader *r = d->side[i].reader;
    if (gpm_reader_state(r) != GPM_STATE_COMPLETE) return false;
    for (unsigned c = 0; gpm_counters[c].name; c++)
      if (gpm_counters[c].class != GPM_COUNTER_OTHER && r->header.counters[c]) return false;
  }
  return true;
}

static void print_head(const struct gpm_diff *d, const struct gpm_input *input, unsigned style) {
  bool whole = are_whole(d);
  if (!whole) print_runs(d);
  gpm_answers_print_diff(d, style);
  if (whole) print_runs(d);
  print_same(d);
  print_devices(d, style);
  gpm_selection_print(input);
  if (gpm_rows_peaks_are_several(d->side[0].profile) ||
      gpm_rows_peaks_are_several(d->side[1].profile))
    printf("sums over all devices: ");
  static const char *const names[GPM_TOTALS] = {"at peak", "allocated", "leaked", NULL, NULL};
  for (unsigned f = 0; f < GPM_TOTALS; f++) {
    if (!names[f]) continue;
    char *text = change(d->totals[0].value[f], d->totals[1].value[f], style);
    printf("%s%s %s", f ? ", " : "", names[f], text);
    free(text);
  }
  uint32_t rows = d->comparison.match.count;
  if (d->adds_up && input->verbose)
    printf(": the differences of %u row%s add up to it\n", rows, rows == 1 ? "" : "s");
  else if (d->adds_up) putchar('\n');
  else printf(": THE DIFFERENCES OF THE ROWS DO NOT ADD UP TO IT\n");
}

static bool is_sum(const struct gpm_diff *d, const struct gpm_matched *pair, unsigned side) {
  const struct gpm_row *row = gpm_compare_row(&d->comparison, pair, side);
  return row && gpm_row_is_sum(row);
}

/* Returns whether a row that is shown has memory of several devices. */
static bool has_sum(const struct gpm_diff *d) {
  bool any = false;
  for (uint32_t i = 0; i < d->shown; i++)
    any |= is_sum(d, &d->row[i], 0) || is_sum(d, &d->row[i], 1);
  return any;
}

static char *cell(const struct gpm_diff *d, const struct gpm_matched *pair, unsigned side,
                  enum gpm_figure figure, unsigned style) {
  if (!gpm_compare_row(&d->comparison, pair, side)) return gpm_memory_text("");
  return gpm_columns_cell(&d->side[side].rows, gpm_compare_row(&d->comparison, pair, side), figure,
                          style);
}

static char *difference_cell(const struct gpm_diff *d, const struct gpm_matched *pair,
                             enum gpm_figure figure, unsigned style) {
  char number[GPM_TEXT_NUMBER];
  int64_t by = gpm_compare_difference(&d->comparison, pair, figure);
  if (!gpm_diff_knows(d, pair, 0, figure) && !gpm_diff_knows(d, pair, 1, figure))
    return gpm_memory_text("-");
  switch (gpm_columns[figure].unit) {
  case GPM_UNIT_PERCENT:
    return gpm_memory_format("%+.2f", (double)by / 100);
  case GPM_UNIT_TIME:
    gpm_text_duration(number, by < 0 ? -(uint64_t)by : (uint64_t)by);
    return gpm_memory_format("%s%s", by < 0 ? "-" : by > 0 ? "+" : "", number);
  case GPM_UNIT_COUNT:
    return by ? gpm_memory_format("%+" PRId64, by) : gpm_memory_text("0");
  default:
    return gpm_memory_text(gpm_text_bytes(number, by, style | GPM_TEXT_SIGN));
  }
}

/* Returns the location in B, and also the one in A if the text of the line or its file changed. */
static char *location(const struct gpm_diff *d, const struct gpm_matched *pair) {
  char *text = gpm_diff_text(&d->comparison, pair, GPM_TEXT_location);
  if (!pair->renamed) return text;
  const struct gpm_row *before = gpm_compare_row(&d->comparison, pair, 0);
  char *was = d->by == GPM_BY_LINE && before->site != GPUMEMPROF_NONE
                  ? gpm_locations_allocation(d->side[0].reader, before->site)
                  : gpm_locations_row(&d->side[0].rows, before);
  char *longer = gpm_memory_format("%s%s%s%s", text, *was ? "  [was " : "", was, *was ? "]" : "");
  free(was);
  free(text);
  return longer;
}

static bool changes(const struct gpm_diff *d, enum gpm_figure figure) {
  for (uint32_t i = 0; i < d->shown; i++)
    if (gpm_compare_difference(&d->comparison, &d->row[i], figure)) return true;
  return false;
}

static void refer(struct libscols_line *line, size_t *column, char *text, const char *colour) {
  if (scols_line_refer_data(line, *column, text)) gpm_table_failed();
  struct libscols_cell *cell = scols_line_get_cell(line, *column);
  if (cell && colour) scols_cell_set_color(cell, colour);
  ++*column;
}

static void add_titles(const struct gpm_diff *d, struct libscols_table *table, const bool *three) {
  gpm_table_column(table, "", false, false);
  for (unsigned c = 0; c < d->choice.count; c++) {
    unsigned column = d->choice.column[c];
    bool figure = column < GPM_FIGURE_COUNT, several = figure && three[column];
    char *title = gpm_memory_format("%s%s", gpm_columns[column].title, several ? ": A" : "");
    gpm_table_column(table, title, figure, c + 1 == d->choice.count && !several);
    free(title);
    if (several) gpm_table_column(table, "B", true, false);
    if (several) gpm_table_column(table, "B-A", true, c + 1 == d->choice.count);
  }
}

static char *text_cell(const struct gpm_diff *d, const struct gpm_matched *pair, unsigned column) {
  if (column == GPM_TEXT_location) return location(d, pair);
  unsigned side = gpm_diff_side(pair);
  return gpm_columns_cell(&d->side[side].rows, gpm_compare_row(&d->comparison, pair, side), column,
                          0);
}

static void add_figure(const struct gpm_diff *d, const struct gpm_matched *pair,
                       enum gpm_figure figure, bool three, struct libscols_line *line, size_t *at,
                       unsigned style) {
  int64_t by = gpm_compare_difference(&d->comparison, pair, figure);
  refer(line, at, cell(d, pair, three ? 0 : gpm_diff_side(pair), figure, style), NULL);
  if (!three) return;
  refer(line, at, cell(d, pair, 1, figure, style), NULL);
  refer(line, at, difference_cell(d, pair, figure, style),
        by > 0   ? "red"
        : by < 0 ? "green"
                 : NULL);
}

static void print_rows(const struct gpm_diff *d, bool verbose, unsigned style) {
  struct libscols_table *table = gpm_table_empty();
  bool three[GPM_FIGURE_COUNT] = {false};
  for (unsigned f = 0; f < d->figure_count; f++) three[d->figure[f]] = changes(d, d->figure[f]);
  add_titles(d, table, three);
  for (uint32_t i = 0; i < d->shown; i++) {
    const struct gpm_matched *pair = &d->row[i];
    struct libscols_line *line = scols_table_new_line(table, NULL);
    if (!line) gpm_table_failed();
    size_t at = 0;
    refer(line, &at, gpm_memory_text(gpm_status_names[gpm_diff_status(d, pair)]), NULL);
    for (unsigned c = 0; c < d->choice.count; c++) {
      unsigned column = d->choice.column[c];
      if (column >= GPM_FIGURE_COUNT) refer(line, &at, text_cell(d, pair, column), NULL);
      else add_figure(d, pair, (enum gpm_figure)column, three[column], line, &at, style);
    }
  }
  if (verbose) gpm_table_print(table);
  else gpm_table_print_fitted(table);
}

static void print_small_rows(const struct gpm_diff *d, unsigned style) {
  char before[GPM_TEXT_NUMBER], after[GPM_TEXT_NUMBER];
  if (d->small_rows.rows)
    printf("%" PRIu64 " variables in device memory of less than 4 KiB, %s before and %s after, "
           "have no row (--limit 0 shows them)\n",
           d->small_rows.sum.variables,
           gpm_text_bytes(before, (int64_t)d->small_variables_bytes[0], style),
           gpm_text_bytes(after, (int64_t)d->small_variables_bytes[1], style));
}

/* Calls are no reason to show a row. */
static bool is_idle(const struct gpm_diff *d, const struct gpm_matched *pair) {
  for (unsigned side = 0; side < 2; side++) {
    const struct gpm_row *row = gpm_compare_row(&d->comparison, pair, side);
    if (!row) continue;
    if (row->value[GPM_FIGURE_incl_alloc] || row->value[GPM_FIGURE_self_alloc]) return false;
    for (unsigned f = 0; f < d->figure_count; f++)
      if (d->figure[f] != GPM_FIGURE_calls && gpm_row_knows(row, d->figure[f]) &&
          row->value[d->figure[f]])
        return false;
  }
  return true;
}

uint32_t gpm_diff_leave_out_idle(struct gpm_diff *d) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < d->row_count; i++)
    if (!is_idle(d, &d->row[i])) d->row[left++] = d->row[i];
  uint32_t idle = d->row_count - left;
  d->row_count = left;
  d->shown = d->most && d->most < left ? d->most : left;
  return idle;
}

void gpm_diff_print_table(const struct gpm_diff *d, const struct gpm_input *input, uint32_t idle) {
  unsigned style = input->exact ? GPM_TEXT_EXACT : 0;
  uint32_t all = d->comparison.match.count,
           left_out = all - d->row_count - d->small_rows.rows - d->hidden - idle;
  print_head(d, input, style);
  if (!all) {
    printf("\nnothing was allocated or freed in either\n");
    return;
  }
  if (d->shown) {
    gpm_table_print_unit(input->exact);
    print_rows(d, input->verbose, style);
  } else putchar('\n');
  if (has_sum(d)) gpm_columns_say_sum(d->figure, d->figure_count);
  gpm_table_print_more(d->row_count, d->shown, "row");
  gpm_selection_print_hidden(input, d->hidden, gpm_columns[d->least_of].title);
  print_small_rows(d, style);
  if (idle)
    printf("... and %u row%s that allocated nothing (--limit 0 shows all)\n", idle,
           gpm_text_s(idle));
  if (left_out)
    printf("%u row%s %s (--threshold 0 shows all)\n", left_out, gpm_text_s(left_out),
           d->has_threshold ? "below the threshold" : "unchanged");
}
