/* diff_print.c - what `gpumemprof diff` found, as a table, JSON and CSV. A is before, B after.
 *
 * In a table a figure that is the same in all rows takes one column, else three: A, B and the
 * difference. JSON and CSV have all three of every figure.
 */
#include "diff.h"
#include "json.h"
#include "places.h"
#include "summary.h"
#include "table.h"

#include <inttypes.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The side whose names stand for a pair: after, if it is there still. */
static unsigned side_of(const struct gpm_matched *pair) {
  return pair->row[1] == GPUMEMPROF_NONE ? 0 : 1;
}

char *gpm_diff_text(const struct gpm_comparison *c, const struct gpm_matched *pair,
                    unsigned column) {
  unsigned side = side_of(pair);
  return gpm_columns_text(&c->side[side]->rows, gpm_compare_row(c, pair, side), column);
}

static enum gpm_status status_of(const struct gpm_diff *d, const struct gpm_matched *pair) {
  enum gpm_status status = gpm_compare_status(&d->comparison, pair, &d->sort, 1);
  return status == GPM_STATUS_SAME
             ? gpm_compare_status(&d->comparison, pair, d->figure, d->figure_count)
             : status;
}

static bool is_known(const struct gpm_diff *d, const struct gpm_matched *pair, unsigned side,
                     enum gpm_figure figure) {
  const struct gpm_row *row = gpm_compare_row(&d->comparison, pair, side);
  return row && gpm_row_knows(row, figure);
}

/* ---- tables ------------------------------------------------------------------------------------
 */

/* "574.31 MiB > 702.31 MiB (+128.00 MiB)", or one of them where they are equal. To be freed. */
static char *change(uint64_t before, uint64_t after, unsigned style) {
  char a[GPM_TEXT_NUMBER], b[GPM_TEXT_NUMBER], by[GPM_TEXT_NUMBER];
  gpm_text_bytes(b, (int64_t)after, style);
  if (before == after) return gpm_memory_text(b);
  return gpm_memory_format("%s > %s (%s)", gpm_text_bytes(a, (int64_t)before, style), b,
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
    name = gpm_places_device(r, device);
  }
  char *text = change(peak[0], peak[1], style);
  if (peak[0] || peak[1] || ordinal >= 0) printf("%s: peak %s%s\n", name, text, only);
  free(text);
  free(name);
}

/* GPUs by number, then the totals apart: as unsigned, those come last. */
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

static void print_head(const struct gpm_diff *d, unsigned style) {
  for (unsigned i = 0; i < 2; i++) {
    const struct gpm_reader *r = d->side[i].reader;
    const char *command = r->header.command_line[0] ? r->header.command_line : r->header.executable;
    char *path = gpm_text_file(r->path), *program = gpm_text_clean(command);
    printf("%c: %s (%s): %s\n", "AB"[i], path, *program ? program : "unnamed program",
           gpm_summary_state(gpm_reader_state(r)));
    for (unsigned k = 0; gpm_counters[k].name; k++)
      if (gpm_counters[k].is_loss && r->header.counters[k])
        printf("%c lost: %" PRIu64 " %s\n", "AB"[i], r->header.counters[k], gpm_counters[k].text);
    free(path);
    free(program);
  }
  print_devices(d, style);
  static const char *const names[GPM_TOTALS] = {"at peak", "allocated", "leaked", NULL, NULL};
  for (unsigned f = 0; f < GPM_TOTALS; f++) {
    if (!names[f]) continue;
    char *text = change(d->totals[0].value[f], d->totals[1].value[f], style);
    printf("%s%s %s", f ? ", " : "", names[f], text);
    free(text);
  }
  uint32_t rows = d->comparison.match.count;
  if (d->adds_up)
    printf(": the differences of %u row%s add up to it\n", rows, rows == 1 ? "" : "s");
  else printf(": THE DIFFERENCES OF THE ROWS DO NOT ADD UP TO IT\n");
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
  if (!is_known(d, pair, 0, figure) && !is_known(d, pair, 1, figure)) return gpm_memory_text("-");
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

/* The place after; of one that is written otherwise now, or is in another file, also before. */
static char *location(const struct gpm_diff *d, const struct gpm_matched *pair) {
  char *text = gpm_diff_text(&d->comparison, pair, GPM_TEXT_location);
  if (!pair->renamed) return text;
  const struct gpm_row *before = gpm_compare_row(&d->comparison, pair, 0);
  char *was = d->by == GPM_BY_LINE && before->site != GPUMEMPROF_NONE
                  ? gpm_places_allocation(d->side[0].reader, before->site)
                  : gpm_places_row(&d->side[0].rows, before);
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

static void print_rows(const struct gpm_diff *d, unsigned style) {
  struct libscols_table *table = gpm_table_empty();
  bool three[GPM_FIGURE_COUNT];
  gpm_table_column(table, "", false, false);
  for (unsigned f = 0; f < d->figure_count; f++) {
    const char *title = gpm_columns[d->figure[f]].title;
    three[f] = changes(d, d->figure[f]);
    char *first = gpm_memory_format("%s%s", title, three[f] ? ": A" : "");
    gpm_table_column(table, first, true, false);
    free(first);
    if (three[f]) gpm_table_column(table, "B", true, false);
    if (three[f]) gpm_table_column(table, "B-A", true, false);
  }
  gpm_table_column(table, "location", false, true);
  for (uint32_t i = 0; i < d->shown; i++) {
    const struct gpm_matched *pair = &d->row[i];
    struct libscols_line *line = scols_table_new_line(table, NULL);
    if (!line) gpm_table_failed();
    size_t column = 0;
    refer(line, &column, gpm_memory_text(gpm_status_names[status_of(d, pair)]), NULL);
    for (unsigned f = 0; f < d->figure_count; f++) {
      int64_t by = gpm_compare_difference(&d->comparison, pair, d->figure[f]);
      refer(line, &column, cell(d, pair, three[f] ? 0 : side_of(pair), d->figure[f], style), NULL);
      if (!three[f]) continue;
      refer(line, &column, cell(d, pair, 1, d->figure[f], style), NULL);
      refer(line, &column, difference_cell(d, pair, d->figure[f], style),
            by > 0   ? "red"
            : by < 0 ? "green"
                     : NULL);
    }
    refer(line, &column, location(d, pair), NULL);
  }
  gpm_table_print(table);
}

static void print_table(const struct gpm_diff *d) {
  unsigned style = d->input[0].exact ? GPM_TEXT_EXACT : 0;
  uint32_t all = d->comparison.match.count, left_out = all - d->row_count;
  print_head(d, style);
  if (!all) {
    printf("\nnothing was allocated or freed in either\n");
    return;
  }
  if (d->shown) {
    printf("\n%s\n", d->input[0].exact ? "bytes" : "MiB unless a unit stands there");
    print_rows(d, style | GPM_TEXT_BARE_MIB);
  } else putchar('\n');
  if (d->shown < d->row_count)
    printf("... and %u more rows (--limit 0 shows all)\n", d->row_count - d->shown);
  if (left_out)
    printf("%u row%s %s (--threshold 0 shows all)\n", left_out, left_out == 1 ? "" : "s",
           d->has_threshold ? "below the threshold"
           : left_out == 1  ? "is as it was"
                            : "are as they were");
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

static void print_json(json_t *json) {
  json_dumpf(json, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15));
  json_decref(json);
}

static json_t *side_json(const struct gpm_side *side) {
  const struct gpm_reader *r = side->reader;
  json_t *json = json_object(), *devices = json_array(), *losses = json_object();
  json_object_set_new(json, "capture", gpm_json_text(r->path));
  json_object_set_new(json, "program", gpm_json_text(r->header.command_line));
  json_object_set_new(json, "state", json_string(gpm_summary_state(gpm_reader_state(r))));
  for (uint32_t i = 0; i < r->device_count; i++) {
    json_t *one = json_object();
    json_object_set_new(one, "device", gpm_json_device_id(r, r->device_order[i]));
    json_object_set_new(one, "peak", json_integer((json_int_t)r->devices[r->device_order[i]].peak));
    json_array_append_new(devices, one);
  }
  for (unsigned i = 0; gpm_counters[i].name; i++)
    if (gpm_counters[i].is_loss)
      json_object_set_new(losses, gpm_counters[i].name,
                          json_integer((json_int_t)r->header.counters[i]));
  json_object_set_new(json, "devices", devices);
  json_object_set_new(json, "losses", losses);
  return json;
}

static json_t *line_json(const struct gpm_diff *d, const struct gpm_matched *pair, unsigned side) {
  const struct gpm_row *row = gpm_compare_row(&d->comparison, pair, side);
  if (!row) return json_null();
  char *text = gpm_columns_text(&d->side[side].rows, row, GPM_TEXT_line);
  json_t *json = json_integer(atoll(text));
  free(text);
  return json;
}

static json_t *difference_json(const struct gpm_diff *d, const struct gpm_matched *pair,
                               enum gpm_figure figure) {
  if (!is_known(d, pair, 0, figure) && !is_known(d, pair, 1, figure)) return json_null();
  int64_t by = gpm_compare_difference(&d->comparison, pair, figure);
  return gpm_columns[figure].unit == GPM_UNIT_PERCENT ? json_real((double)by / 100)
                                                      : json_integer(by);
}

static const unsigned places[] = {GPM_TEXT_file,     GPM_TEXT_function, GPM_TEXT_callee,
                                  GPM_TEXT_variable, GPM_TEXT_type,     GPM_TEXT_size_expr};
enum { PLACES = sizeof places / sizeof places[0] };

static json_t *row_json(const struct gpm_diff *d, const struct gpm_matched *pair) {
  json_t *json = json_object(), *figures[3] = {json_null(), json_null(), json_object()};
  json_object_set_new(json, "status", json_string(gpm_status_names[status_of(d, pair)]));
  json_object_set_new(json, "renamed", json_boolean(pair->renamed));
  for (unsigned i = 0; i < PLACES; i++) {
    char *text = gpm_diff_text(&d->comparison, pair, places[i]);
    json_object_set_new(json, gpm_columns[places[i]].key, *text ? json_string(text) : json_null());
    free(text);
  }
  json_object_set_new(json, "line_a", line_json(d, pair, 0));
  json_object_set_new(json, "line_b", line_json(d, pair, 1));
  for (unsigned i = 0; i < 2; i++)
    if (gpm_compare_row(&d->comparison, pair, i)) figures[i] = json_object();
  for (unsigned f = 0; f < d->figure_count; f++) {
    const char *key = gpm_columns[d->figure[f]].key;
    for (unsigned i = 0; i < 2; i++)
      if (gpm_compare_row(&d->comparison, pair, i))
        json_object_set_new(
            figures[i], key,
            gpm_json_figure(gpm_compare_row(&d->comparison, pair, i), d->figure[f]));
    json_object_set_new(figures[2], key, difference_json(d, pair, d->figure[f]));
  }
  json_object_set_new(json, "a", figures[0]);
  json_object_set_new(json, "b", figures[1]);
  json_object_set_new(json, "difference", figures[2]);
  return json;
}

static void print_all_json(const struct gpm_diff *d) {
  for (unsigned i = 0; i < 2; i++) {
    printf("%s\"%c\": ", i ? ",\n" : "{", "ab"[i]);
    print_json(side_json(&d->side[i]));
  }
  printf(",\n\"rows\": [");
  for (uint32_t i = 0; i < d->shown; i++) gpm_json_item(row_json(d, &d->row[i]), !i);
  json_t *totals = json_object();
  for (unsigned f = 0; f < GPM_TOTALS; f++) {
    json_t *one = json_object();
    json_object_set_new(one, "a", json_integer((json_int_t)d->totals[0].value[f]));
    json_object_set_new(one, "b", json_integer((json_int_t)d->totals[1].value[f]));
    json_object_set_new(one, "difference",
                        json_integer((json_int_t)(d->totals[1].value[f] - d->totals[0].value[f])));
    json_object_set_new(one, "of_rows", json_integer((json_int_t)d->sums.value[f]));
    json_object_set_new(totals, gpm_columns[gpm_total_figures[f]].key, one);
  }
  json_object_set_new(totals, "ok", json_boolean(d->adds_up));
  printf("\n],\n\"totals\": ");
  print_json(totals);
  printf("}\n");
}

/* ---- CSV ---------------------------------------------------------------------------------------
 */

static void print_csv_figure(bool known, int64_t value, enum gpm_figure figure) {
  putchar(',');
  if (!known) return;
  if (gpm_columns[figure].unit == GPM_UNIT_PERCENT) printf("%.2f", (double)value / 100);
  else printf("%" PRId64, value);
}

static void print_csv(const struct gpm_diff *d) {
  printf("status,renamed");
  for (unsigned i = 0; i < PLACES; i++) printf(",%s", gpm_columns[places[i]].key);
  printf(",line_a,line_b");
  for (unsigned f = 0; f < d->figure_count; f++) {
    const char *key = gpm_columns[d->figure[f]].key;
    printf(",%s_a,%s_b,%s_difference", key, key, key);
  }
  putchar('\n');
  for (uint32_t i = 0; i < d->shown; i++) {
    const struct gpm_matched *pair = &d->row[i];
    printf("%s,%d", gpm_status_names[status_of(d, pair)], pair->renamed);
    for (unsigned k = 0; k < PLACES; k++) {
      char *text = gpm_diff_text(&d->comparison, pair, places[k]);
      putchar(',');
      gpm_text_print_csv(text);
      free(text);
    }
    for (unsigned side = 0; side < 2; side++) {
      const struct gpm_row *row = gpm_compare_row(&d->comparison, pair, side);
      char *text = row ? gpm_columns_text(&d->side[side].rows, row, GPM_TEXT_line) : NULL;
      printf(",%s", text ? text : "");
      free(text);
    }
    for (unsigned f = 0; f < d->figure_count; f++) {
      enum gpm_figure figure = d->figure[f];
      bool known[2] = {is_known(d, pair, 0, figure), is_known(d, pair, 1, figure)};
      for (unsigned side = 0; side < 2; side++)
        print_csv_figure(known[side], gpm_compare_value(&d->comparison, pair, side, figure),
                         figure);
      print_csv_figure(known[0] || known[1], gpm_compare_difference(&d->comparison, pair, figure),
                       figure);
    }
    putchar('\n');
  }
}

void gpm_diff_print(const struct gpm_diff *d) {
  switch (d->input[0].format) {
  case GPM_FORMAT_TABLE:
    print_table(d);
    break;
  case GPM_FORMAT_JSON:
    print_all_json(d);
    break;
  case GPM_FORMAT_CSV:
    print_csv(d);
    break;
  }
}
