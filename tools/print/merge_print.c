/* merge_print.c - prints the result of `gpumemprof merge` as JSON and CSV. merge_table.c prints
 * tables. */
#include "output/csv.h"
#include "output/imbalance_json.h"
#include "output/json.h"
#include "output/paths_json.h"
#include "print/job_print.h"
#include "print/merge.h"
#include "print/selection.h"
#include "support/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *gpm_merge_word(const struct gpm_merge *m, uint32_t row, unsigned column) {
  unsigned i = 0;
  while (gpm_merged_columns[i] != column) i++;
  return m->merged.words.text[m->merged.row[row].text[i]];
}

char *gpm_merge_location(const struct gpm_merge *m, uint32_t number) {
  const struct gpm_merged_row *row = &m->merged.row[number];
  const char *location = m->merged.words.text[row->location];
  if (row->path == GPUMEMPROF_NONE) return gpm_memory_text(location);
  char *path = gpm_paths_text(&m->paths, row->path);
  char *text = gpm_memory_format("%s%s%s", path, *location ? "  " : "", location);
  free(path);
  return text;
}

static const char *name_of(const struct gpm_merge *m, uint32_t process) {
  return m->processes.process[process].name;
}

static bool adds_up(enum gpm_figure figure) {
  return gpm_columns[figure].merge == GPM_MERGE_SUM;
}

static json_t *number(enum gpm_figure figure, int64_t value) {
  return gpm_columns[figure].unit == GPM_UNIT_PERCENT ? json_real((double)value / 100)
                                                      : json_integer(value);
}

static json_t *figure_json(const struct gpm_merge *m, uint32_t row, unsigned f) {
  const struct gpm_merged_figure *v = gpm_merged_value(&m->merged, row, f);
  enum gpm_figure figure = m->asked.figure[f];
  if (!v->known) return json_null();
  json_t *json = json_object();
  double mean = gpm_merged_mean(&m->merged, row, f, m->processes.read);
  gpm_json_put(json, merged_figure, min, number(figure, v->min));
  gpm_json_put(json, merged_figure, min_of, json_string(name_of(m, v->min_of)));
  gpm_json_put(json, merged_figure, mean,
               json_real(gpm_columns[figure].unit == GPM_UNIT_PERCENT ? mean / 100 : mean));
  gpm_json_put(json, merged_figure, max, number(figure, v->max));
  gpm_json_put(json, merged_figure, max_of, json_string(name_of(m, v->max_of)));
  if (adds_up(figure)) gpm_json_put(json, merged_figure, sum, json_integer((json_int_t)v->sum));
  return json;
}

static json_t *row_json(const struct gpm_merge *m, uint32_t number_of_row) {
  const struct gpm_merged_row *row = &m->merged.row[number_of_row];
  json_t *json = json_object();
  char *location = gpm_merge_location(m, number_of_row);
  gpm_json_put(json, merge_row, location, json_string(location));
  free(location);
  for (unsigned i = 0; i < GPM_MERGED_TEXTS && !gpm_by_is_flat(m->asked.by); i++) {
    const char *text = m->merged.words.text[row->text[i]];
    json_object_set_new(json, gpm_columns[gpm_merged_columns[i]].key,
                        *text ? json_string(text) : json_null());
  }
  if (!gpm_by_is_flat(m->asked.by)) gpm_json_put(json, merge_row, line, json_integer(row->line));
  if (row->path != GPUMEMPROF_NONE)
    gpm_json_put(json, merge_row, path, gpm_paths_json(&m->paths, row->path));
  gpm_json_put(json, merge_row, processes, json_integer(row->processes));
  for (unsigned f = 0; f < m->asked.shown; f++)
    json_object_set_new(json, gpm_columns[m->asked.figure[f]].key,
                        figure_json(m, number_of_row, f));
  return json;
}

static json_t *peak_json(const struct gpm_merge *m) {
  const struct gpm_job_peaks *p = &m->peaks;
  json_t *json = json_object();
  gpm_json_put(json, merged_peak, min, json_integer((json_int_t)p->min));
  gpm_json_put(json, merged_peak, min_of, json_string(name_of(m, p->min_of)));
  gpm_json_put(json, merged_peak, mean, json_real(p->mean));
  gpm_json_put(json, merged_peak, median, json_integer((json_int_t)p->median));
  gpm_json_put(json, merged_peak, max, json_integer((json_int_t)p->max));
  gpm_json_put(json, merged_peak, max_of, json_string(name_of(m, p->max_of)));
  return json;
}

static json_t *totals_json(const struct gpm_merge *m) {
  json_t *totals = json_object();
  for (unsigned t = 0; t < GPM_TOTALS; t++) {
    json_t *one = json_object();
    gpm_json_put(one, merge_total, captures, json_integer((json_int_t)m->totals.value[t]));
    gpm_json_put(one, merge_total, rows, json_integer((json_int_t)m->sums.value[t]));
    json_object_set_new(totals, gpm_columns[gpm_total_figures[t]].key, one);
  }
  gpm_json_put(totals, merge_totals, ok, json_boolean(m->adds_up));
  return totals;
}

static void print_rows(const struct gpm_merge *m) {
  for (uint32_t i = 0; i < m->shown; i++) gpm_json_item(row_json(m, m->row[i]), !i);
  gpm_json_list_end();
}

static void print_json(const struct gpm_merge *m) {
  json_t *head = json_object();
  gpm_json_put(head, merge, version, json_integer(GPM_JSON_VERSION));
  gpm_job_json(head, &m->job, &m->processes);
  gpm_json_put(head, merge, peak, peak_json(m));
  gpm_json_put(head, merge, imbalance, gpm_imbalance_json(&m->imbalance, &m->processes, &m->peaks));
  gpm_json_put(head, merge, totals, totals_json(m));
  gpm_selection_json(head, &m->asked.input);
  if (m->asked.input.patterns.count)
    gpm_json_put(head, merge, left,
                 gpm_json_filter(&m->asked.input.patterns, m->left_is_unknown ? NULL : &m->left));
  if (m->asked.input.least)
    gpm_json_put(
        head, merge, hidden,
        gpm_selection_hidden_json(&m->asked.input, m->hidden,
                                  gpm_columns[m->asked.figure[m->asked.least_number]].key));
  gpm_json_put(head, merge, by, json_string(gpm_rows_by(m->asked.by)));
  const char *key;
  json_t *value;
  bool first = true;
  json_object_foreach(head, key, value) {
    printf("%s\"%s\": ", first ? "{" : ",\n", key);
    json_dumpf(value, stdout, JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
    first = false;
  }
  json_decref(head);
  gpm_json_list(merge, processes);
  for (uint32_t i = 0; i < m->processes.read; i++)
    gpm_json_item(gpm_job_process_json(&m->processes.process[i], &m->peaks), !i);
  gpm_json_next(merge, rows);
  print_rows(m);
  gpm_json_close();
}

static void print_csv(const struct gpm_merge *m) {
  const char *names[GPM_FIGURE_COUNT + 1] = {NULL};
  char *name[GPM_FIGURE_COUNT];
  for (unsigned f = 0; f < m->asked.shown; f++)
    names[f] = name[f] = gpm_memory_format("%s%s", adds_up(m->asked.figure[f]) ? "" : "-",
                                           gpm_columns[m->asked.figure[f]].key);
  gpm_csv_begin("merge_row", names);
  for (unsigned f = 0; f < m->asked.shown; f++) free(name[f]);
  print_rows(m);
}

void gpm_merge_print(const struct gpm_merge *m) {
  switch (m->asked.input.format) {
  case GPM_FORMAT_TABLE:
    gpm_merge_print_table(m);
    break;
  case GPM_FORMAT_JSON:
    print_json(m);
    break;
  case GPM_FORMAT_CSV:
    print_csv(m);
    break;
  }
}
