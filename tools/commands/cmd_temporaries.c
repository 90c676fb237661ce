/* cmd_temporaries.c - `gpumemprof temporaries`: lines whose blocks are freed by the very next event
 * of their thread, and what to do about it. */
#include "input/command.h"
#include "output/json.h"
#include "output/summary.h"
#include "output/table.h"
#include "over_time/temporaries.h"
#include "rows/order.h"
#include "rows/places.h"
#include "support/text.h"

#include <inttypes.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_ADVICE 5

struct report {
  struct gpm_input input;
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

/* ---- formats -----------------------------------------------------------------------------------
 */

/* "main.c:14 step (5 of 9), main.c:20 drop"; to be freed. */
static char *frees_text(const struct report *o, const struct gpm_temporary *line) {
  char *text = gpm_memory_text("");
  for (uint32_t i = 0; i < line->count; i++) {
    const struct gpm_temporary_free *f = &o->found.frees[line->first + i];
    char *where = gpm_places_node(o->rows.profile, f->node), *longer;
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

static void add_line(struct libscols_table *table, const struct report *o, uint32_t row) {
  const struct gpm_row *r = &o->rows.row[row];
  const struct gpm_temporary *line = &o->found.line[row];
  double share = (double)r->value[GPM_FIGURE_temporary_blocks] * 100 /
                 (double)(uint64_t)r->value[GPM_FIGURE_blocks];
  char *cells[] = {
      gpm_memory_format("%" PRId64, r->value[GPM_FIGURE_temporary_blocks]),
      gpm_memory_format("%" PRId64, r->value[GPM_FIGURE_blocks]),
      gpm_memory_format("%.2f", share),
      bytes_text(o, line->bytes, !line->bytes_unsure),
      bytes_text(o, line->largest, true),
      gpm_places_row(&o->rows, r),
      frees_text(o, line),
  };
  struct libscols_line *to = scols_table_new_line(table, NULL);
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
    if (!to || scols_line_refer_data(to, i, cells[i])) gpm_table_failed();
}

static void print_table(const struct report *o, uint32_t count) {
  const struct gpm_profile *p = o->rows.profile;
  gpm_summary_print(p, o->input.exact ? GPM_TEXT_EXACT : 0);
  gpm_summary_print_losses(p->reader);
  if (!o->order.count) {
    printf("\nno temporaries: no block was freed by the next event of its thread\n");
    return;
  }
  static const char *const titles[] = {
      "temporary", "of blocks", "%", "bytes", "largest", "allocated at", "freed right after at"};
  enum { COLUMNS = sizeof titles / sizeof *titles };
  struct libscols_table *table = gpm_table_empty();
  for (size_t i = 0; i < COLUMNS; i++) gpm_table_column(table, titles[i], i < 5, i >= 5);
  bool unsure = false;
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_temporary *line = &o->found.line[o->order.row[i]];
    add_line(table, o, o->order.row[i]);
    for (uint32_t f = 0; f < line->count; f++) unsure |= o->found.frees[line->first + f].unsure;
    unsure |= line->bytes_unsure;
  }
  putchar('\n');
  gpm_table_print(table);
  if (count < o->order.count)
    printf("... and %u more line%s (--limit 0 shows all)\n", o->order.count - count,
           gpm_text_s(o->order.count - count));
  if (unsure)
    printf("- and (some): the line has other blocks too, so the sums do not tell; record with "
           "GPUMEMPROF_OPTIONS=history=all\n");
  for (uint32_t i = 0; i < count && i < MOST_ADVICE; i++) {
    char *advice = gpm_temporaries_advice(&o->found, &o->rows, o->order.row[i],
                                          o->input.exact ? GPM_TEXT_EXACT : 0);
    if (advice) printf("%s\n", advice);
    free(advice);
  }
}

static json_t *json_frees(const struct report *o, const struct gpm_temporary *line) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < line->count; i++) {
    const struct gpm_temporary_free *f = &o->found.frees[line->first + i];
    json_t *one = gpm_json_place(o->rows.profile, f->node);
    json_object_set_new(one, "blocks",
                        f->unsure ? json_null() : json_integer((json_int_t)f->blocks));
    json_array_append_new(list, one);
  }
  return list;
}

static void print_json(const struct report *o, uint32_t count) {
  gpm_json_begin(o->rows.profile->reader, "temporaries");
  for (uint32_t i = 0; i < count; i++) {
    uint32_t row = o->order.row[i];
    const struct gpm_row *r = &o->rows.row[row];
    const struct gpm_temporary *line = &o->found.line[row];
    char *advice =
        gpm_temporaries_advice(&o->found, &o->rows, row, o->input.exact ? GPM_TEXT_EXACT : 0);
    json_t *one = gpm_json_place(o->rows.profile, line->node);
    json_object_set_new(one, "temporary_blocks", gpm_json_figure(r, GPM_FIGURE_temporary_blocks));
    json_object_set_new(one, "blocks", gpm_json_figure(r, GPM_FIGURE_blocks));
    json_object_set_new(one, "temporary_bytes",
                        line->bytes_unsure ? json_null() : json_integer((json_int_t)line->bytes));
    json_object_set_new(one, "largest", json_integer((json_int_t)line->largest));
    json_object_set_new(one, "path", gpm_json_path(o->rows.profile, line->node));
    json_object_set_new(one, "freed_by", json_frees(o, line));
    json_object_set_new(one, "advice", advice ? gpm_json_text(advice) : json_null());
    gpm_json_item(one, !i);
    free(advice);
  }
  gpm_json_end(o->rows.profile);
}

int gpm_cmd_temporaries_run(const struct gpm_command *command, int argc, char **argv) {
  struct report o = {0};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  gpm_rows_make(&o.rows, profile, GPM_BY_LINE);
  gpm_temporaries_make(&o.found, &o.rows, o.input.reader);
  gpm_order_make(&o.order, &o.rows, GPM_FIGURE_temporary_blocks, true);
  gpm_progress(NULL);
  uint32_t count = gpm_input_shown(&o.input, o.order.count);
  if (o.input.format == GPM_FORMAT_TABLE) print_table(&o, count);
  else print_json(&o, count);
  gpm_order_free(&o.order);
  gpm_temporaries_free(&o.found);
  gpm_rows_free(&o.rows);
  gpm_input_close(&o.input, profile);
  return GPM_EXIT_OK;
}
