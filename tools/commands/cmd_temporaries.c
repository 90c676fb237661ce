/* cmd_temporaries.c - `gpumemprof temporaries`: lines whose blocks are freed by the very next event
 * of their thread, and what to do about it. */
#include "input/command.h"
#include "output/json.h"
#include "output/summary.h"
#include "output/table.h"
#include "over_time/temporaries.h"
#include "print/fields_order.h"
#include "print/selection.h"
#include "rows/locations.h"
#include "rows/order.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_ADVICE 5

struct report {
  struct gpm_input input;
  struct gpm_fields fields; /* --columns */
  enum gpm_field_id by;     /* --sort */
  uint32_t hidden;          /* rows with less than --min */
  struct gpm_rows rows;
  struct gpm_order order;
  struct gpm_temporaries found;
};

const struct argp_option gpm_cmd_temporaries_options[] = {
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct report *o = state->input;
  return gpm_input_parse(key, arg, state, &o->input);
}

/* ---- texts -------------------------------------------------------------------------------------
 */

/* "main.c:14 step (5 of 9), main.c:20 drop"; to be freed. */
static char *frees_text(const struct report *o, const struct gpm_temporary *line) {
  char *text = gpm_memory_text("");
  for (uint32_t i = 0; i < line->count; i++) {
    const struct gpm_temporary_free *f = &o->found.frees[line->first + i];
    char *where = gpm_locations_node(o->rows.profile, f->node), *longer;
    if (i == 2) longer = gpm_memory_format("%s and %u more", text, line->count - i);
    else if (f->unsure) longer = gpm_memory_format("%s%s%s (some)", text, i ? ", " : "", where);
    else if (line->count == 1) longer = gpm_memory_text(where);
    else longer = gpm_memory_format("%s%s%s (%" PRIu64 ")", text, i ? ", " : "", where, f->blocks);
    free(where);
    free(text);
    text = longer;
    if (i == 2) break;
  }
  return text;
}

static char *bytes_text(const struct report *o, uint64_t bytes, bool known) {
  char number[GPM_TEXT_NUMBER];
  return gpm_memory_text(
      known ? gpm_text_bytes(number, (int64_t)bytes, o->input.exact ? GPM_TEXT_EXACT : 0) : "-");
}

static char *advice_of(const struct report *o, uint32_t row) {
  return gpm_temporaries_advice(&o->found, &o->rows, row, o->input.exact ? GPM_TEXT_EXACT : 0);
}

/* With two decimals, as defined in columns.def: every format and --sort take it from here. */
static double percent_of(const struct gpm_row *r) {
  uint64_t share = gpm_row_hundredths((uint64_t)r->value[GPM_FIGURE_temporary_blocks],
                                      (uint64_t)r->value[GPM_FIGURE_blocks]);
  return (double)share / 100;
}

static char *cell(void *data, uint32_t number, enum gpm_field_id field) {
  const struct report *o = data;
  uint32_t row = o->order.row[number];
  const struct gpm_row *r = &o->rows.row[row];
  const struct gpm_temporary *line = &o->found.line[row];
  int64_t temporary = r->value[GPM_FIGURE_temporary_blocks], blocks = r->value[GPM_FIGURE_blocks];
  switch (field) {
  case GPM_FIELD_temporaries_temporary_blocks:
    return gpm_memory_format("%" PRId64, temporary);
  case GPM_FIELD_temporaries_blocks:
    return gpm_memory_format("%" PRId64, blocks);
  case GPM_FIELD_temporaries_temporary_percent:
    return gpm_memory_format("%.2f", percent_of(r));
  case GPM_FIELD_temporaries_temporary_bytes:
    return bytes_text(o, line->bytes, !line->bytes_unsure);
  case GPM_FIELD_temporaries_largest:
    return bytes_text(o, line->largest, true);
  case GPM_FIELD_temporaries_freed_by:
    return frees_text(o, line);
  case GPM_FIELD_temporaries_path:
    return gpm_locations_path(o->rows.profile, line->node);
  case GPM_FIELD_temporaries_advice: {
    char *advice = advice_of(o, row);
    return advice ? advice : gpm_memory_text("");
  }
  default: {
    char *part = gpm_fields_location(o->rows.profile, line->node, field);
    return part ? part : gpm_locations_row(&o->rows, r);
  }
  }
}

/* ---- which, in which order ---------------------------------------------------------------------
 */

static double value_of(const struct report *o, uint32_t row) {
  const struct gpm_temporary *line = &o->found.line[row];
  const struct gpm_row *r = &o->rows.row[row];
  switch (o->by) {
  case GPM_FIELD_temporaries_blocks:
    return (double)r->value[GPM_FIGURE_blocks];
  case GPM_FIELD_temporaries_temporary_percent:
    return percent_of(r);
  case GPM_FIELD_temporaries_temporary_bytes:
    return line->bytes_unsure ? -1 : (double)line->bytes;
  case GPM_FIELD_temporaries_largest:
    return (double)line->largest;
  default:
    return (double)r->value[GPM_FIGURE_temporary_blocks];
  }
}

/* Equal ones keep their order, by the number of temporary blocks. */
static int compare(const void *a, const void *b, void *data) {
  const struct report *o = data;
  const uint32_t *x = a, *y = b;
  double one = value_of(o, o->order.row[*x]), other = value_of(o, o->order.row[*y]);
  if (one < other || one > other) return one < other ? 1 : -1;
  return *x < *y ? -1 : *x > *y;
}

static uint32_t node_of(void *data, uint32_t number, enum gpm_field_id field) {
  const struct report *o = data;
  (void)field;
  return o->found.line[o->order.row[number]].node;
}

static uint32_t *sorted_by_figure(struct report *o) {
  uint32_t count = o->order.count, *at = gpm_memory_array(count, sizeof *at);
  for (uint32_t i = 0; i < count; i++) at[i] = i;
  if (count) qsort_r(at, count, sizeof *at, compare, o);
  return at;
}

static void sort(struct report *o) {
  struct gpm_fields_rows rows = {o->rows.profile, cell, node_of, o};
  uint32_t count = o->order.count, *row = gpm_memory_array(o->rows.count, sizeof *row),
           *at = gpm_fields_is_text(o->by) ? gpm_fields_order(&rows, count, o->by)
                                           : sorted_by_figure(o);
  for (uint32_t i = 0; i < count; i++) row[i] = o->order.row[at[i]];
  gpm_order_free(&o->order);
  o->order = (struct gpm_order){.row = row, .count = count};
  free(at);
}

/* --min: their temporary blocks have less, or are known to have no more each. */
static void hide_small(struct report *o) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < o->order.count; i++) {
    const struct gpm_temporary *line = &o->found.line[o->order.row[i]];
    bool largest = o->by == GPM_FIELD_temporaries_largest || line->bytes_unsure;
    if ((largest ? line->largest : line->bytes) >= o->input.least)
      o->order.row[left++] = o->order.row[i];
  }
  o->hidden = o->order.count - left;
  o->order.count = left;
}

/* ---- formats -----------------------------------------------------------------------------------
 */

static struct gpm_fields usual(void) {
  return (struct gpm_fields){
      .field = {GPM_FIELD_temporaries_temporary_blocks, GPM_FIELD_temporaries_blocks,
                GPM_FIELD_temporaries_temporary_percent, GPM_FIELD_temporaries_temporary_bytes,
                GPM_FIELD_temporaries_largest, GPM_FIELD_temporaries_location,
                GPM_FIELD_temporaries_freed_by},
      .count = 7};
}

static void print_table(const struct report *o, uint32_t count) {
  const struct gpm_profile *p = o->rows.profile;
  gpm_summary_print(p, o->input.exact ? GPM_TEXT_EXACT : 0, o->input.verbose);
  gpm_summary_print_losses(p->reader);
  gpm_summary_print_filter(p, o->input.exact ? GPM_TEXT_EXACT : 0);
  if (!o->order.count && !o->hidden) {
    printf("\nno temporaries: no block was freed by the next event of its thread\n");
    return;
  }
  bool unsure = false;
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_temporary *line = &o->found.line[o->order.row[i]];
    for (uint32_t f = 0; f < line->count; f++) unsure |= o->found.frees[line->first + f].unsure;
    unsure |= line->bytes_unsure;
  }
  putchar('\n');
  struct gpm_fields fields = o->fields.count ? o->fields : usual();
  gpm_fields_print(&fields, count, cell, (void *)(uintptr_t)o);
  gpm_table_print_more(o->order.count, count, "line");
  bool largest = o->by == GPM_FIELD_temporaries_largest;
  gpm_selection_print_hidden(&o->input, o->hidden, largest ? "largest" : "bytes");
  if (unsure)
    printf("- and (some): the line has other blocks too, so the sums do not tell; record with "
           "GPUMEMPROF_OPTIONS=history=all\n");
  for (uint32_t i = 0; i < count && i < MOST_ADVICE; i++) {
    char *advice = advice_of(o, o->order.row[i]);
    if (advice) printf("%s\n", advice);
    free(advice);
  }
}

static json_t *json_frees(const struct report *o, const struct gpm_temporary *line) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < line->count; i++) {
    const struct gpm_temporary_free *f = &o->found.frees[line->first + i];
    json_t *one = gpm_json_location(o->rows.profile, f->node);
    gpm_json_put(one, temporary_free, blocks,
                 f->unsure ? json_null() : json_integer((json_int_t)f->blocks));
    json_array_append_new(list, one);
  }
  return list;
}

static void print_json(const struct report *o, uint32_t count) {
  if (o->input.format == GPM_FORMAT_CSV) gpm_fields_as_csv(&o->fields, "temporary");
  gpm_json_begin(o->rows.profile, temporaries, temporaries);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t row = o->order.row[i];
    const struct gpm_row *r = &o->rows.row[row];
    const struct gpm_temporary *line = &o->found.line[row];
    char *advice = advice_of(o, row);
    json_t *one = gpm_json_location(o->rows.profile, line->node);
    gpm_json_put(one, temporary, temporary_blocks, gpm_json_figure(r, GPM_FIGURE_temporary_blocks));
    gpm_json_put(one, temporary, blocks, gpm_json_figure(r, GPM_FIGURE_blocks));
    gpm_json_put(one, temporary, temporary_bytes,
                 line->bytes_unsure ? json_null() : json_integer((json_int_t)line->bytes));
    gpm_json_put(one, temporary, largest, json_integer((json_int_t)line->largest));
    gpm_json_put(one, temporary, path, gpm_json_path(o->rows.profile, line->node));
    gpm_json_put(one, temporary, freed_by, json_frees(o, line));
    gpm_json_put(one, temporary, advice, advice ? gpm_json_text(advice) : json_null());
    gpm_json_put(one, temporary, temporary_percent, json_real(percent_of(r)));
    gpm_json_item(gpm_fields_take(&o->fields, one), !i);
    free(advice);
  }
  gpm_json_end(o->rows.profile);
}

int gpm_cmd_temporaries_run(const struct gpm_command *command, int argc, char **argv) {
  struct report o = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (!gpm_fields_choose(&o.fields, &o.input)) return GPM_EXIT_OK;
  o.by = gpm_fields_sort(&o.input);
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  gpm_rows_make(&o.rows, profile, GPM_BY_LINE);
  gpm_temporaries_make(&o.found, &o.rows, o.input.reader);
  gpm_order_make(&o.order, &o.rows, GPM_FIGURE_temporary_blocks, true);
  if (o.by != GPM_FIELD_temporaries_temporary_blocks) sort(&o);
  hide_small(&o);
  gpm_progress(NULL);
  uint32_t count = gpm_input_shown(&o.input, o.order.count);
  if (o.input.format == GPM_FORMAT_TABLE) print_table(&o, count);
  else print_json(&o, count);
  gpm_order_free(&o.order);
  gpm_temporaries_free(&o.found);
  gpm_rows_free(&o.rows);
  return gpm_input_close(&o.input, profile);
}
