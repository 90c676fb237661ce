/* diff_print.c - prints the result of `gpumemprof diff` as JSON and CSV: each figure before, after,
 * and the difference. diff_table.c prints tables. */
#include "print/diff_print.h"
#include "output/csv.h"
#include "output/json.h"
#include "output/summary.h"
#include "print/selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum gpm_status gpm_diff_status(const struct gpm_diff *d, const struct gpm_matched *pair) {
  enum gpm_status status = gpm_compare_status(&d->comparison, pair, d->figure, d->figure_count);
  int64_t difference = gpm_compare_difference(&d->comparison, pair, d->sort);
  if (status == GPM_STATUS_NEW || status == GPM_STATUS_GONE || !difference) return status;
  return difference > 0 ? GPM_STATUS_GROWN : GPM_STATUS_SHRUNK;
}

json_t *gpm_diff_side_json(const struct gpm_side *side) {
  const struct gpm_reader *r = side->reader;
  json_t *json = json_object(), *devices = json_array();
  gpm_json_put(json, run, capture, gpm_json_text(r->path));
  gpm_json_put(json, run, program, gpm_json_text(r->header.command_line));
  gpm_json_put(json, run, state, json_string(gpm_state_name(gpm_reader_state(r))));
  for (uint32_t i = 0; i < r->device_count; i++) {
    json_t *one = json_object();
    gpm_json_put(one, run_device, device, gpm_json_device_id(r, r->device_order[i]));
    gpm_json_put(one, run_device, peak,
                 json_integer((json_int_t)r->devices[r->device_order[i]].peak));
    json_array_append_new(devices, one);
  }
  gpm_json_put(json, run, devices, devices);
  gpm_json_put(json, run, losses, gpm_json_counters(r, GPM_COUNTER_LOSS));
  if (side->profile->patterns) gpm_json_put(json, run, filter, gpm_json_filter_of(side->profile));
  return json;
}

static json_t *line_json(const struct gpm_diff *d, const struct gpm_matched *pair, unsigned side) {
  const struct gpm_row *row = gpm_compare_row(&d->comparison, pair, side);
  if (!row) return json_null();
  return json_integer(gpm_columns_line(&d->side[side].rows, row));
}

static json_t *difference_json(const struct gpm_diff *d, const struct gpm_matched *pair,
                               enum gpm_figure figure) {
  if (!gpm_diff_knows(d, pair, 0, figure) && !gpm_diff_knows(d, pair, 1, figure))
    return json_null();
  int64_t by = gpm_compare_difference(&d->comparison, pair, figure);
  return gpm_columns[figure].unit == GPM_UNIT_PERCENT ? json_real((double)by / 100)
                                                      : json_integer(by);
}

static const unsigned locations[] = {GPM_TEXT_file,     GPM_TEXT_function, GPM_TEXT_callee,
                                     GPM_TEXT_variable, GPM_TEXT_type,     GPM_TEXT_size_expr};
enum { LOCATIONS = sizeof locations / sizeof locations[0] };

json_t *gpm_diff_row_json(const struct gpm_diff *d, const struct gpm_matched *pair) {
  json_t *json = json_object(), *figures[3] = {json_null(), json_null(), json_object()};
  gpm_json_put(json, diff_row, status, json_string(gpm_status_names[gpm_diff_status(d, pair)]));
  gpm_json_put(json, diff_row, renamed, json_boolean(pair->renamed));
  for (unsigned i = 0; i < LOCATIONS; i++) {
    char *text = gpm_diff_text(&d->comparison, pair, locations[i]);
    json_object_set_new(json, gpm_columns[locations[i]].key,
                        *text ? json_string(text) : json_null());
    free(text);
  }
  gpm_json_put(json, diff_row, line_a, line_json(d, pair, 0));
  gpm_json_put(json, diff_row, line_b, line_json(d, pair, 1));
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
  gpm_json_put(json, diff_row, a, figures[0]);
  gpm_json_put(json, diff_row, b, figures[1]);
  gpm_json_put(json, diff_row, difference, figures[2]);
  return json;
}

static json_t *totals_json(const struct gpm_diff *d) {
  json_t *totals = json_object();
  for (unsigned f = 0; f < GPM_TOTALS; f++) {
    uint64_t a = d->totals[0].value[f], b = d->totals[1].value[f];
    json_t *one = json_object();
    gpm_json_put(one, diff_total, a, json_integer((json_int_t)a));
    gpm_json_put(one, diff_total, b, json_integer((json_int_t)b));
    gpm_json_put(one, diff_total, difference, json_integer((json_int_t)(b - a)));
    gpm_json_put(one, diff_total, of_rows, json_integer((json_int_t)d->sums.value[f]));
    json_object_set_new(totals, gpm_columns[gpm_total_figures[f]].key, one);
  }
  gpm_json_put(totals, diff_totals, ok, json_boolean(d->adds_up));
  return totals;
}

static void print_rows(const struct gpm_diff *d) {
  for (uint32_t i = 0; i < d->shown; i++) gpm_json_item(gpm_diff_row_json(d, &d->row[i]), !i);
  gpm_json_list_end();
}

static void print_selection(const struct gpm_diff *d, const struct gpm_input *input) {
  json_t *left = json_object(), *value;
  const char *name;
  gpm_selection_json(left, input);
  if (input->least)
    gpm_json_put(left, diff, hidden,
                 gpm_selection_hidden_json(input, d->hidden, gpm_columns[d->least_of].key));
  json_object_foreach(left, name, value) gpm_json_named_field(name, json_incref(value));
  json_decref(left);
}

static void print_json(const struct gpm_diff *d, const struct gpm_input *input) {
  gpm_json_version();
  gpm_json_field(diff, a, gpm_diff_side_json(&d->side[0]));
  gpm_json_field(diff, b, gpm_diff_side_json(&d->side[1]));
  print_selection(d, input);
  gpm_json_list(diff, rows);
  print_rows(d);
  gpm_json_field(diff, totals, totals_json(d));
  gpm_json_close();
}

static void print_csv(const struct gpm_diff *d) {
  const char *names[GPM_FIGURE_COUNT + 1] = {NULL};
  for (unsigned f = 0; f < d->figure_count; f++) names[f] = gpm_columns[d->figure[f]].key;
  gpm_csv_begin("diff_row", names);
  print_rows(d);
}

void gpm_diff_print(struct gpm_diff *d, const struct gpm_input *input) {
  bool asked = input->columns || d->has_threshold || d->has_all;
  switch (input->format) {
  case GPM_FORMAT_TABLE:
    gpm_diff_print_table(d, input, asked ? 0 : gpm_diff_leave_out_idle(d));
    break;
  case GPM_FORMAT_JSON:
    print_json(d, input);
    break;
  case GPM_FORMAT_CSV:
    print_csv(d);
    break;
  }
}
