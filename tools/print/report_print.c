/* report_print.c - prints the rows of `gpumemprof report` as a table, CSV or JSON. */
#include "analysis/budgets.h"
#include "analysis/nothing.h"
#include "answers/next.h"
#include "model/sizes.h"
#include "output/csv.h"
#include "output/json.h"
#include "output/nothing_print.h"
#include "output/small_variables_print.h"
#include "output/summary.h"
#include "output/table.h"
#include "print/columns_print.h"
#include "print/report.h"
#include "print/selection.h"
#include "rows/devices.h"
#include "rows/locations.h"
#include "support/text.h"

#include <inttypes.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gpm_report_has_notes(const struct gpm_report *o) {
  bool net = o->input.verbose;
  for (unsigned i = 0; i < o->choice.count; i++)
    net |= o->choice.column[i] == GPM_FIGURE_self_net || o->choice.column[i] == GPM_FIGURE_incl_net;
  return net;
}

static bool has_sum(const struct gpm_rows *rows, const uint32_t *shown, uint32_t count) {
  bool any = false;
  for (uint32_t i = 0; i < count && !any; i++) any = gpm_row_is_sum(&rows->row[shown[i]]);
  return any;
}

static unsigned machine_of(const struct gpm_rows *rows, const uint32_t *shown, uint32_t count) {
  unsigned seen = 0;
  for (uint32_t i = 0; i < count; i++) seen |= rows->row[shown[i]].machine;
  return seen;
}

static const char *noun_of(enum gpm_by by) {
  return by == GPM_BY_LINE       ? "line"
         : by == GPM_BY_FUNCTION ? "function"
         : by == GPM_BY_PATH     ? "call path"
         : by == GPM_BY_FILE     ? "file"
                                 : "row";
}

static void print_small_rows(const struct gpm_report *o, unsigned style) {
  uint32_t zeros = o->zeros - o->frees;
  if (o->frees)
    printf("... and %u %s%s that only free%s memory (--limit 0 shows all rows)\n", o->frees,
           noun_of(o->by), gpm_text_s(o->frees), o->frees == 1 ? "s" : "");
  gpm_small_rows_print(&o->small_rows, style);
  if (zeros)
    printf("%u row%s 0 in every column %s left out (--limit 0 shows %s)\n", zeros,
           zeros == 1 ? " that is" : "s that are", zeros == 1 ? "is" : "are",
           zeros == 1 ? "it" : "them");
}

/* Prints only the locations of broken budgets. `check` prints how they were broken. */
static void print_budgets(const struct gpm_profile *p) {
  enum { MOST = 4 };
  struct gpm_budgets r = gpm_budgets_judge(p);
  unsigned locations = 0;
  if (r.broken) printf("budgets: %u broken (", r.broken);
  for (uint32_t i = 0; i < r.broken; i++) {
    if (i && r.budget[i].site == r.budget[i - 1].site) continue;
    if (locations++ >= MOST) continue;
    char *where = gpm_locations_node(p, r.budget[i].node);
    printf("%s%s", i ? ", " : "", where);
    free(where);
  }
  if (r.broken) printf("%s); `gpumemprof check` tells how\n", locations > MOST ? ", ..." : "");
  gpm_budgets_free(&r);
}

static bool is_small_variable(const struct gpm_report *o, const struct gpm_row *part) {
  const struct gpm_rows *parts = &o->groups.rows;
  bool all = gpm_input_shows_all(&o->input);
  return !all && (parts->by == GPM_BY_LINE || parts->by == GPM_BY_PATH) &&
         gpm_small_variables_is_one(parts->profile->reader, part->site,
                                    (uint64_t)part->value[GPM_FIGURE_self_alloc]);
}

/* Counts the parts that are variables smaller than a page, as struct gpm_report does for whole
 * rows. */
static struct gpm_small_rows small_rows_of_parts(const struct gpm_report *o, uint32_t row) {
  struct gpm_small_rows t = {.rows = 0};
  const struct gpm_groups *g = &o->groups;
  for (uint32_t i = g->first[row]; i < g->first[row + 1]; i++) {
    const struct gpm_row *part = &g->rows.row[g->part[i]];
    if (is_small_variable(o, part))
      gpm_small_rows_add(&t, (uint64_t)part->value[GPM_FIGURE_blocks],
                         (uint64_t)part->value[GPM_FIGURE_self_alloc]);
  }
  return t;
}

/* Adds the parts of a row, indented below it. */
static void add_parts(struct libscols_table *table, const struct gpm_report *o, uint32_t row,
                      unsigned style) {
  const struct gpm_groups *g = &o->groups;
  struct gpm_small_rows small_rows = small_rows_of_parts(o, row);
  for (uint32_t i = g->first[row]; i < g->first[row + 1]; i++) {
    const struct gpm_row *part = &g->rows.row[g->part[i]];
    if (gpm_small_rows_are_many(&small_rows) && is_small_variable(o, part)) continue;
    char *what = gpm_locations_row(&g->rows, part);
    char *indented = gpm_memory_format("    %s", what);
    gpm_table_add(table, NULL, &o->choice, &g->rows, part, indented, NULL, style);
    free(what);
    free(indented);
  }
  if (!gpm_small_rows_are_many(&small_rows)) return;
  char bytes[GPM_TEXT_NUMBER];
  char *text = gpm_memory_format("    %" PRIu64 " variables of less than 4 KiB: %s in all",
                                 small_rows.sum.variables,
                                 gpm_text_bytes(bytes, (int64_t)small_rows.sum.bytes, style));
  gpm_table_add_text(table, &o->choice, text);
  free(text);
}

/* All but those that were under way when the history ended. */
static bool has_all_events(const struct gpm_reader *r) {
  return r->event_chunks && !r->header.counters[GPUMEMPROF_COUNTER_events_overwritten] &&
         !r->header.resets && !gpm_reader_has_part_of_history(r);
}

/* Explains a row or part that combines memory which was not distinguished. */
static void print_unknown(const struct gpm_report *o, const struct gpm_rows *rows) {
  const struct gpm_rows *by = gpm_by_needs_events(o->by) ? rows : &o->groups.rows;
  if (!gpm_by_needs_events(o->by) && !(o->grouped && gpm_by_needs_events(o->second))) return;
  bool sizes = by->by == GPM_BY_SIZE, any = false;
  uint32_t rest = sizes ? GPM_SIZES_SEVERAL : rows->profile->reader->split->thread_count;
  for (uint32_t i = 0; i < by->count; i++)
    any |= by->row[i].key == rest && (by == rows ? gpm_rows_is_shown(rows, i) : true);
  if (any && sizes)
    printf("(several sizes): call paths whose blocks are of more than one class; record with "
           "GPUMEMPROF_OPTIONS=history=all to distinguish them\n");
  else if (any && has_all_events(rows->profile->reader))
    printf("(thread not recorded): call paths with an event that is in the figures and not in the "
           "history, as it was under way at the end\n");
  else if (any)
    printf(
        "(thread not recorded): call paths of which the history does not have every event; record "
        "all of it with GPUMEMPROF_OPTIONS=history=all\n");
}

/* A program that is linked with the simulated runtime looks like any other. */
static void print_simulated(const struct gpm_reader *r) {
  uint32_t simulated = 0;
  for (uint32_t i = 0; i < r->device_count; i++)
    simulated += r->devices[i].peak && gpm_devices_is_simulated(r, i);
  if (simulated)
    printf("%s simulated: allocations are as on a GPU, but kernels computed nothing\n",
           simulated == 1 ? "the device is" : "the devices are");
}

static void print_table(const struct gpm_report *o, const struct gpm_rows *rows,
                        const struct gpm_order *order, uint32_t count) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  gpm_summary_print(rows->profile, style, o->input.verbose);
  if (o->suggests) print_simulated(rows->profile->reader);
  gpm_summary_print_failures(rows->profile, style);
  gpm_summary_print_losses(rows->profile->reader);
  if (!gpm_split_is_part(rows->profile->reader)) print_budgets(rows->profile);
  gpm_summary_print_filter(rows->profile, style);
  if (!count && (o->hidden || o->zeros || o->small_rows.rows)) {
    putchar('\n');
    gpm_selection_print_hidden(&o->input, o->hidden, gpm_columns[o->least_of].title);
    print_small_rows(o, style);
    return;
  }
  if (!count) {
    gpm_nothing_print(rows->profile, "nothing was allocated or freed");
    return;
  }
  gpm_table_print_unit(o->input.exact);
  struct libscols_table *table = gpm_table_new(&o->choice, false);
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_row *row = &rows->row[order->row[i]];
    char *note = gpm_report_has_notes(o) ? gpm_locations_foreign(rows, row, style) : NULL;
    gpm_table_add(table, NULL, &o->choice, rows, row, NULL, note, style);
    free(note);
    if (o->grouped) add_parts(table, o, order->row[i], style);
  }
  if (o->input.verbose) gpm_table_print(table);
  else gpm_table_print_fitted(table);
  gpm_table_print_more(order->count, count, "row");
  gpm_selection_print_hidden(&o->input, o->hidden, gpm_columns[o->least_of].title);
  print_small_rows(o, style);
  if (has_sum(rows, order->row, count)) gpm_columns_say_sum(o->choice.column, o->choice.count);
  gpm_columns_say_machine(o->choice.column, o->choice.count, machine_of(rows, order->row, count));
  if (o->grouped) printf("indented: the part of what the row itself (self) allocated and freed\n");
  print_unknown(o, rows);
  if (!rows->profile->all_cells_shown)
    printf("- : live, own and device peaks are recorded over all devices and kinds, so they do not "
           "apply to a part\n");
  if (o->explain) {
    putchar('\n');
    gpm_columns_explain(&o->choice);
  }
  if (o->suggests) gpm_next_print(rows->profile, o->advice);
}

static bool is_name(const char *const *names, const char *name) {
  while (*names && strcmp(*names, name) != 0) names++;
  return *names != NULL;
}

/* Takes ownership of the value. */
static void print_csv_json(const char *name, json_t *value) {
  gpm_csv_print_cell(name, value);
  json_decref(value);
}

/* Prints a cell, which is empty if such rows do not have the text. */
static void print_csv_text(const struct gpm_rows *rows, const struct gpm_row *row,
                           unsigned column) {
  bool has = column == GPM_TEXT_location || gpm_columns_have_locations(rows->by) ||
             is_name(gpm_json_row_names(rows->by), gpm_columns[column].key);
  if (!has) return;
  if (column == GPM_TEXT_operands) { /* a list, as all lists in a cell */
    print_csv_json(gpm_columns[column].key, gpm_json_operands(rows, row));
    return;
  }
  char *text = gpm_columns_text(rows, row, column);
  gpm_csv_print_text(text);
  free(text);
}

static void print_csv_figure(const struct gpm_row *row, enum gpm_figure figure) {
  print_csv_json(gpm_columns[figure].key, gpm_json_figure(row, figure));
}

/* Returns whether a field that says what the row is precedes the columns, as in JSON: it does
 * unless it is a column itself. */
static bool is_before(const struct gpm_report *o, const char *name) {
  for (unsigned c = 0; c < o->choice.count; c++)
    if (!strcmp(gpm_columns[o->choice.column[c]].key, name)) return false;
  return !o->grouped;
}

static void print_csv_key(const struct gpm_report *o, const struct gpm_rows *rows,
                          const struct gpm_row *row) {
  json_t *key = gpm_json_row_key(rows, row);
  for (const char *const *name = gpm_json_row_names(o->by); *name; name++) {
    if (!is_before(o, *name)) continue;
    gpm_csv_print_cell(*name, json_object_get(key, *name));
    if (name[1] || o->choice.count) putchar(',');
  }
  json_decref(key);
}

static void print_csv_cells(const struct gpm_report *o, const struct gpm_rows *rows,
                            const struct gpm_row *row) {
  if (*gpm_json_row_names(o->by) && !o->grouped) print_csv_key(o, rows, row);
  for (unsigned c = 0; c < o->choice.count; c++) {
    unsigned column = o->choice.column[c];
    if (c) putchar(',');
    if (column >= GPM_FIGURE_COUNT) print_csv_text(rows, row, column);
    else print_csv_figure(row, (enum gpm_figure)column);
  }
  putchar('\n');
}

/* Prints grouped rows. Two columns before the others name the row and its part. */
static void print_csv_groups(const struct gpm_report *o, const struct gpm_rows *rows,
                             uint32_t number) {
  const struct gpm_groups *g = &o->groups;
  const struct gpm_row *row = &rows->row[number];
  char *name = gpm_locations_row(rows, row);
  gpm_csv_print_text(name);
  printf(",,");
  print_csv_cells(o, rows, row);
  for (uint32_t i = g->first[number]; i < g->first[number + 1]; i++) {
    const struct gpm_row *part = &g->rows.row[g->part[i]];
    char *what = gpm_locations_row(&g->rows, part);
    gpm_csv_print_text(name);
    putchar(',');
    gpm_csv_print_text(what);
    putchar(',');
    print_csv_cells(o, &g->rows, part);
    free(what);
  }
  free(name);
}

static void print_csv_names(const struct gpm_report *o) {
  if (o->grouped) printf("by_%s,by_%s,", gpm_rows_by(o->by), gpm_rows_by(o->second));
  for (const char *const *name = gpm_json_row_names(o->by); *name; name++)
    if (is_before(o, *name)) printf("%s%s", *name, name[1] || o->choice.count ? "," : "");
  for (unsigned c = 0; c < o->choice.count; c++)
    printf("%s%s", c ? "," : "", gpm_columns[o->choice.column[c]].key);
  putchar('\n');
}

static void print_csv(const struct gpm_report *o, const struct gpm_rows *rows,
                      const struct gpm_order *order, uint32_t count) {
  print_csv_names(o);
  for (uint32_t i = 0; i < count; i++) {
    if (o->grouped) print_csv_groups(o, rows, order->row[i]);
    else print_csv_cells(o, rows, &rows->row[order->row[i]]);
  }
  gpm_progress(NULL);
}

static json_t *parts(const struct gpm_report *o, uint32_t row) {
  const struct gpm_groups *g = &o->groups;
  json_t *list = json_array();
  for (uint32_t i = g->first[row]; i < g->first[row + 1]; i++)
    json_array_append_new(list, gpm_json_row(&g->rows, &g->rows.row[g->part[i]], &o->choice));
  return list;
}

static void print_json(const struct gpm_report *o, const struct gpm_rows *rows,
                       const struct gpm_order *order, uint32_t count) {
  gpm_json_head(rows->profile);
  if (o->input.least)
    gpm_json_field(report, hidden,
                   gpm_selection_hidden_json(&o->input, o->hidden, gpm_columns[o->least_of].key));
  gpm_json_list(report, rows);
  for (uint32_t i = 0; i < count; i++) {
    json_t *row = gpm_json_row(rows, &rows->row[order->row[i]], &o->choice);
    json_t *responsible = gpm_json_responsible(rows, &rows->row[order->row[i]]);
    if (responsible) gpm_json_put(row, report_row, responsible, responsible);
    if (o->grouped) gpm_json_put(row, report_row, parts, parts(o, order->row[i]));
    gpm_json_item(row, !i);
  }
  gpm_json_end(rows->profile);
}

void gpm_report_print(const struct gpm_report *o, const struct gpm_rows *rows,
                      const struct gpm_order *order, uint32_t count) {
  switch (o->input.format) {
  case GPM_FORMAT_TABLE:
    print_table(o, rows, order, count);
    break;
  case GPM_FORMAT_CSV:
    print_csv(o, rows, order, count);
    break;
  case GPM_FORMAT_JSON:
    print_json(o, rows, order, count);
    break;
  }
}
