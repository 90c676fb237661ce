/* merge_table.c - prints the result of `gpumemprof merge` as a table: the job, its peaks and its
 * imbalance, then the rows.
 *
 * A figure that is the same in all processes, in every row, takes one column, else four: the
 * lowest, the mean, the highest, and the process with the highest.
 */
#include "output/small_variables_print.h"
#include "output/table.h"
#include "print/columns_print.h"
#include "print/job_print.h"
#include "print/merge.h"
#include "print/selection.h"

#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>

static bool differs(const struct gpm_merge *m, unsigned f) {
  for (uint32_t i = 0; i < m->shown; i++) {
    const struct gpm_merged_figure *v = gpm_merged_value(&m->merged, m->row[i], f);
    if (v->known && v->min != v->max) return true;
  }
  return false;
}

/* Returns whether some rows are not in all processes. */
static bool some_lack(const struct gpm_merge *m) {
  for (uint32_t i = 0; i < m->shown; i++)
    if (m->merged.row[m->row[i]].processes != m->processes.read) return true;
  return false;
}

/* Returns whether a row that is shown has memory of several devices in one process. */
static bool has_sum(const struct gpm_merge *m) {
  bool any = false;
  for (uint32_t i = 0; i < m->shown; i++) any |= m->merged.row[m->row[i]].is_sum;
  return any;
}

static void refer(struct libscols_line *line, size_t *column, char *text) {
  if (scols_line_refer_data(line, (*column)++, text)) gpm_table_failed();
}

static char *mean_cell(const struct gpm_merge *m, uint32_t row, unsigned f, unsigned style) {
  double mean = gpm_merged_mean(&m->merged, row, f, m->processes.read);
  enum gpm_figure figure = m->asked.figure[f];
  if (gpm_columns[figure].unit == GPM_UNIT_COUNT) return gpm_memory_format("%.2f", mean);
  return gpm_columns_figure(figure, gpm_text_whole(mean), style);
}

static void add_figure(const struct gpm_merge *m, struct libscols_line *line, size_t *column,
                       uint32_t row, unsigned f, bool four, unsigned style) {
  const struct gpm_merged_figure *v = gpm_merged_value(&m->merged, row, f);
  enum gpm_figure figure = m->asked.figure[f];
  if (!v->known) {
    for (unsigned i = 0; i < (four ? 4u : 1u); i++) refer(line, column, gpm_memory_text("-"));
    return;
  }
  if (four) refer(line, column, gpm_columns_figure(figure, v->min, style));
  if (four) refer(line, column, mean_cell(m, row, f, style));
  refer(line, column, gpm_columns_figure(figure, v->max, style));
  if (!four) return;
  const struct gpm_process *of = &m->processes.process[v->max_of];
  refer(line, column,
        v->min == v->max       ? gpm_memory_text("all")
        : m->processes.by_rank ? gpm_memory_format("%u", of->rank)
                               : gpm_memory_text(of->name));
}

/* The number of processes that have a row precedes the first text, which says what it is. */
static unsigned first_text(const struct gpm_merge *m) {
  unsigned c = 0;
  while (m->asked.choice.column[c] < GPM_FIGURE_COUNT) c++;
  return c;
}

static void add_titles(const struct gpm_merge *m, struct libscols_table *table, const bool *four,
                       bool lack) {
  unsigned f = 0, last = m->asked.choice.count - 1;
  for (unsigned c = 0; c <= last; c++) {
    unsigned column = m->asked.choice.column[c];
    bool figure = column < GPM_FIGURE_COUNT, several = figure && four[f];
    char *title = gpm_memory_format("%s%s", gpm_columns[column].title, several ? ": min" : "");
    if (lack && c == first_text(m)) gpm_table_column(table, "in", true, false);
    gpm_table_column(table, title, figure, c == last && !several);
    free(title);
    f += figure;
    if (!several) continue;
    gpm_table_column(table, "mean", true, false);
    gpm_table_column(table, "max", true, false);
    gpm_table_column(table, m->processes.by_rank ? "rank" : "of", true, c == last);
  }
}

static char *text_cell(const struct gpm_merge *m, uint32_t row, unsigned column) {
  if (column == GPM_TEXT_location) return gpm_merge_location(m, row);
  if (column == GPM_TEXT_line) return gpm_memory_format("%u", m->merged.row[row].line);
  const char *word = gpm_merge_word(m, row, column);
  return column == GPM_TEXT_file ? gpm_text_file(gpm_say_host(), word) : gpm_memory_text(word);
}

static void print_rows(const struct gpm_merge *m, unsigned style) {
  struct libscols_table *table = gpm_table_empty();
  bool four[GPM_FIGURE_COUNT], lack = some_lack(m);
  for (unsigned f = 0; f < m->asked.shown; f++) four[f] = differs(m, f);
  add_titles(m, table, four, lack);
  for (uint32_t i = 0; i < m->shown; i++) {
    struct libscols_line *line = scols_table_new_line(table, NULL);
    if (!line) gpm_table_failed();
    size_t at = 0;
    unsigned f = 0;
    for (unsigned c = 0; c < m->asked.choice.count; c++) {
      unsigned column = m->asked.choice.column[c];
      if (lack && c == first_text(m))
        refer(line, &at, gpm_memory_format("%u", m->merged.row[m->row[i]].processes));
      if (column >= GPM_FIGURE_COUNT) refer(line, &at, text_cell(m, m->row[i], column));
      else {
        add_figure(m, line, &at, m->row[i], f, four[f], style);
        f++;
      }
    }
  }
  gpm_table_print_fitted(table);
  if (has_sum(m)) gpm_columns_say_sum(m->asked.figure, m->asked.shown);
  if (lack) printf("in: processes that have the row; in the others its figures are 0\n");
}

static void print_totals(const struct gpm_merge *m, unsigned style) {
  static const char *const names[GPM_TOTALS] = {"at peak", "allocated", "leaked", NULL, NULL};
  char bytes[GPM_TEXT_NUMBER];
  printf("sums over all processes and devices: ");
  for (unsigned t = 0; t < GPM_TOTALS; t++)
    if (names[t])
      printf("%s%s %s", t ? ", " : "", names[t],
             gpm_text_bytes(bytes, (int64_t)m->totals.value[t], style));
  uint32_t rows = m->merged.count;
  if (m->adds_up)
    printf(": %u row%s add%s up to them\n", rows, rows == 1 ? "" : "s", rows == 1 ? "s" : "");
  else printf(": THE ROWS DO NOT ADD UP TO THEM\n");
}

void gpm_merge_print_table(const struct gpm_merge *m) {
  unsigned style = m->asked.input.exact ? GPM_TEXT_EXACT : 0;
  char *imbalance = gpm_imbalance_text(&m->imbalance, &m->processes, &m->peaks, style);
  gpm_job_print(&m->job, &m->processes, &m->peaks, imbalance, style);
  free(imbalance);
  gpm_job_print_losses(&m->job, &m->processes, style);
  gpm_selection_print(&m->asked.input);
  print_totals(m, style);
  if (!m->merged.count) {
    printf("\nnothing was allocated or freed\n");
    return;
  }
  gpm_table_print_unit(m->asked.input.exact);
  print_rows(m, style);
  gpm_table_print_more(m->row_count, m->shown, "row");
  gpm_selection_print_hidden(&m->asked.input, m->hidden,
                             gpm_columns[m->asked.figure[m->asked.least_number]].title);
  gpm_small_rows_print(&m->small_rows, style);
}
