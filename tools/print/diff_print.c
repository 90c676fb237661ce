/* diff_print.c - what `gpumemprof diff` found, as JSON and CSV: of every figure what it was, what
 * it is and the difference. diff_table.c prints tables. */
#include "print/diff_print.h"
#include "output/csv.h"
#include "output/json.h"
#include "output/summary.h"
#include "print/selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

char *gpm_diff_text(const struct gpm_comparison *c, const struct gpm_matched *pair,
                    unsigned column) {
  unsigned side = gpm_diff_side(pair);
  return gpm_columns_text(&c->side[side]->rows, gpm_compare_row(c, pair, side), column);
}

enum gpm_status gpm_diff_status(const struct gpm_diff *d, const struct gpm_matched *pair) {
  enum gpm_status status = gpm_compare_status(&d->comparison, pair, d->figure, d->figure_count);
  int64_t difference = gpm_compare_difference(&d->comparison, pair, d->sort);
  if (status == GPM_STATUS_NEW || status == GPM_STATUS_GONE || !difference) return status;
  return difference > 0 ? GPM_STATUS_GROWN : GPM_STATUS_SHRUNK;
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

static void print_json(json_t *json) {
  json_dumpf(json, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
  json_decref(json);
}

json_t *gpm_diff_side_json(const struct gpm_side *side) {
  const struct gpm_reader *r = side->reader;
  json_t *json = json_object(), *devices = json_array();
  json_object_set_new(json, "capture", gpm_json_text(r->path));
  json_object_set_new(json, "program", gpm_json_text(r->header.command_line));
  json_object_set_new(json, "state", json_string(gpm_state_name(gpm_reader_state(r))));
  for (uint32_t i = 0; i < r->device_count; i++) {
    json_t *one = json_object();
    json_object_set_new(one, "device", gpm_json_device_id(r, r->device_order[i]));
    json_object_set_new(one, "peak", json_integer((json_int_t)r->devices[r->device_order[i]].peak));
    json_array_append_new(devices, one);
  }
  json_object_set_new(json, "devices", devices);
  json_object_set_new(json, "losses", gpm_json_counters(r, GPM_COUNTER_LOSS));
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
  if (!gpm_diff_knows(d, pair, 0, figure) && !gpm_diff_knows(d, pair, 1, figure))
    return json_null();
  int64_t by = gpm_compare_difference(&d->comparison, pair, figure);
  return gpm_columns[figure].unit == GPM_UNIT_PERCENT ? json_real((double)by / 100)
                                                      : json_integer(by);
}

static const unsigned places[] = {GPM_TEXT_file,     GPM_TEXT_function, GPM_TEXT_callee,
                                  GPM_TEXT_variable, GPM_TEXT_type,     GPM_TEXT_size_expr};
enum { PLACES = sizeof places / sizeof places[0] };

json_t *gpm_diff_row_json(const struct gpm_diff *d, const struct gpm_matched *pair) {
  json_t *json = json_object(), *figures[3] = {json_null(), json_null(), json_object()};
  json_object_set_new(json, "status", json_string(gpm_status_names[gpm_diff_status(d, pair)]));
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

static void print_fields(json_t *fields) {
  const char *key;
  json_t *value;
  json_object_foreach(fields, key, value) {
    printf(",\n\"%s\": ", key);
    print_json(json_incref(value));
  }
  json_decref(fields);
}

static void print_all_json(const struct gpm_diff *d, const struct gpm_input *input) {
  for (unsigned i = 0; i < 2; i++) {
    printf("%s\"%c\": ", i ? ",\n" : "{", "ab"[i]);
    print_json(gpm_diff_side_json(&d->side[i]));
  }
  json_t *left = json_object();
  gpm_selection_json(left, input);
  if (input->least)
    json_object_set_new(left, "hidden",
                        gpm_selection_hidden_json(input, d->hidden, gpm_columns[d->least_of].key));
  print_fields(left);
  printf(",\n\"rows\": [");
  for (uint32_t i = 0; i < d->shown; i++) gpm_json_item(gpm_diff_row_json(d, &d->row[i]), !i);
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
    printf("%s,%d", gpm_status_names[gpm_diff_status(d, pair)], pair->renamed);
    for (unsigned k = 0; k < PLACES; k++) {
      char *text = gpm_diff_text(&d->comparison, pair, places[k]);
      putchar(',');
      gpm_csv_print_text(text);
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
      bool known[2] = {gpm_diff_knows(d, pair, 0, figure), gpm_diff_knows(d, pair, 1, figure)};
      for (unsigned side = 0; side < 2; side++)
        print_csv_figure(known[side], gpm_compare_value(&d->comparison, pair, side, figure),
                         figure);
      print_csv_figure(known[0] || known[1], gpm_compare_difference(&d->comparison, pair, figure),
                       figure);
    }
    putchar('\n');
  }
}

void gpm_diff_print(const struct gpm_diff *d, const struct gpm_input *input) {
  switch (input->format) {
  case GPM_FORMAT_TABLE:
    gpm_diff_print_table(d, input);
    break;
  case GPM_FORMAT_JSON:
    print_all_json(d, input);
    break;
  case GPM_FORMAT_CSV:
    print_csv(d);
    break;
  }
}
