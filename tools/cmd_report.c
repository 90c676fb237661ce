/* cmd_report.c - `gpumemprof report`: rows of figures as a table, JSON or CSV. */
#include "budgets.h"
#include "command.h"
#include "json.h"
#include "order.h"
#include "places.h"
#include "summary.h"
#include "table.h"
#include "text.h"

#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_LIMIT 40 /* rows of a table when --limit is not given */

struct report {
  struct gpm_input input;
  enum gpm_by by;
  unsigned sort;
  bool limited;
  uint32_t limit; /* 0: all */
  const char *columns;
  struct gpm_choice choice;
  bool explain;
};

const struct argp_option gpm_cmd_report_options[] = {
    {"by", 'B', "ROWS", 0, "line (default), function, path, kind or device", 0},
    {"sort", 's', "COLUMN", 0, "order of the rows (default at_peak)", 0},
    {"limit", 'n', "N", 0, "at most N rows; 0 for all (default 40 in tables, else all)", 0},
    {"columns", 'c', "LIST", 0, "which columns: a,b,c; `help` lists them", 0},
    {"explain", 'e', NULL, 0, "what each column means, below the table", 0},
    GPM_INPUT_OPTIONS,
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const by[] = {
#define GPM_BY(NAME, name, text) name,
#include "by.def"
      NULL};
  struct report *o = state->input;
  switch (key) {
  case 'B':
    o->by = (enum gpm_by)gpm_command_choice("kind of rows", arg, by);
    return 0;
  case 's':
    o->sort = gpm_columns_find("column", arg);
    return 0;
  case 'n':
    o->limited = true;
    if (!gpm_text_parse_count(arg, UINT32_MAX, &o->limit))
      argp_error(state, "--limit wants a number, not `%s`", arg);
    return 0;
  case 'c':
    o->columns = arg;
    return 0;
  case 'e':
    o->explain = true;
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

/* Rows with a negative net say whose memory they free. */
static void name_owners(struct gpm_rows *rows, const struct gpm_order *order, uint32_t count) {
  if (gpm_by_is_flat(rows->by)) return;
  uint8_t *wanted = gpm_memory_array(rows->count, 1);
  bool any = false;
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_row *row = &rows->row[order->row[i]];
    bool negative = row->value[GPM_FIGURE_self_net] < 0 || row->value[GPM_FIGURE_incl_net] < 0;
    wanted[order->row[i]] = negative && row->value[GPM_FIGURE_freed_others] > 0;
    any = any || wanted[order->row[i]];
  }
  if (any) gpm_owners_name(rows, wanted);
  free(wanted);
}

/* ---- formats -----------------------------------------------------------------------------------
 */

/* Names the places; how they were broken tells `check`. */
static void print_budgets(const struct gpm_profile *p) {
  enum { MOST = 4 };
  struct gpm_budgets r = gpm_budgets_judge(p);
  unsigned places = 0;
  if (r.broken) printf("budgets: %u broken (", r.broken);
  for (uint32_t i = 0; i < r.broken; i++) {
    if (i && r.budget[i].site == r.budget[i - 1].site) continue;
    if (places++ >= MOST) continue;
    char *where = gpm_places_node(p, r.budget[i].node);
    printf("%s%s", i ? ", " : "", where);
    free(where);
  }
  if (r.broken) printf("%s); `gpumemprof check` tells how\n", places > MOST ? ", ..." : "");
  gpm_budgets_free(&r);
}

static void print_table(const struct report *o, const struct gpm_rows *rows,
                        const struct gpm_order *order, uint32_t count) {
  unsigned style = o->input.exact ? GPM_TEXT_EXACT : 0;
  gpm_summary_print(rows->profile, style);
  gpm_summary_print_failures(rows->profile, style);
  gpm_summary_print_losses(rows->profile->reader);
  print_budgets(rows->profile);
  if (!count) {
    printf("\nnothing was allocated or freed%s\n", rows->profile->all_cells_shown ? "" : " there");
    return;
  }
  printf("\n%s\n", o->input.exact ? "bytes" : "MiB unless a unit stands there");
  struct libscols_table *table = gpm_table_new(&o->choice, false);
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_row *row = &rows->row[order->row[i]];
    char *note = gpm_places_foreign(rows, row, style);
    gpm_table_add(table, NULL, &o->choice, rows, row, NULL, note, style | GPM_TEXT_BARE_MIB);
    free(note);
  }
  gpm_table_print(table);
  if (count < order->count)
    printf("... and %u more rows (--limit 0 shows all)\n", order->count - count);
  if (!rows->profile->all_cells_shown)
    printf("- : live, own and device peaks are recorded over all devices and kinds, so they do not "
           "apply to a part\n");
  if (o->explain) {
    putchar('\n');
    gpm_columns_explain(&o->choice);
  }
}

static void print_csv(const struct report *o, const struct gpm_rows *rows,
                      const struct gpm_order *order, uint32_t count) {
  for (unsigned c = 0; c < o->choice.count; c++)
    printf("%s%s", c ? "," : "", gpm_columns[o->choice.column[c]].key);
  putchar('\n');
  for (uint32_t i = 0; i < count; i++) {
    const struct gpm_row *row = &rows->row[order->row[i]];
    for (unsigned c = 0; c < o->choice.count; c++) {
      unsigned column = o->choice.column[c];
      if (c) putchar(',');
      if (column >= GPM_FIGURE_COUNT) {
        char *text = gpm_columns_text(rows, row, column);
        gpm_text_print_csv(text);
        free(text);
      } else if (gpm_row_knows(row, (enum gpm_figure)column)) {
        if (gpm_columns[column].unit == GPM_UNIT_PERCENT)
          printf("%.2f", (double)row->value[column] / 100);
        else printf("%lld", (long long)row->value[column]);
      }
    }
    putchar('\n');
  }
  gpm_progress(NULL);
}

static void print_json(const struct report *o, const struct gpm_rows *rows,
                       const struct gpm_order *order, uint32_t count) {
  gpm_json_begin(rows->profile->reader, "rows");
  for (uint32_t i = 0; i < count; i++)
    gpm_json_item(gpm_json_row(rows, &rows->row[order->row[i]], &o->choice), !i);
  gpm_json_end(rows->profile);
}

/* Places that have no row of their own columns: by kind and device, what the row is stands in
 * `location`. */
static struct gpm_choice choose(const struct report *o) {
  if (o->columns) return gpm_columns_parse(o->columns);
  if (o->input.format == GPM_FORMAT_TABLE) return gpm_columns_usual(o->by);
  struct gpm_choice all = gpm_columns_all();
  if (o->input.format == GPM_FORMAT_JSON) return all;
  struct gpm_choice csv = {.column = {GPM_TEXT_location}, .count = 1};
  for (unsigned i = 0; i < all.count; i++) csv.column[csv.count++] = all.column[i];
  return csv;
}

int gpm_cmd_report_run(const struct gpm_command *command, int argc, char **argv) {
  struct report o = {.by = GPM_BY_LINE, .sort = GPM_FIGURE_at_peak};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (o.columns && !strcmp(o.columns, "help")) {
    gpm_columns_help();
    return GPM_EXIT_OK;
  }
  o.choice = choose(&o);
  struct gpm_reader *reader = gpm_input_open(&o.input);
  if (!reader) return GPM_EXIT_USAGE;
  gpm_progress("joining allocations and frees");
  struct gpm_profile *profile = gpm_profile_new(reader, &o.input.filter);
  struct gpm_rows rows;
  gpm_rows_make(&rows, profile, o.by);
  struct gpm_order order;
  gpm_progress("sorting");
  gpm_order_make(&order, &rows, o.sort, false);
  uint32_t limit = o.limited ? o.limit : o.input.format == GPM_FORMAT_TABLE ? TABLE_LIMIT : 0;
  uint32_t count = limit && limit < order.count ? limit : order.count;
  name_owners(&rows, &order, count);
  gpm_progress(NULL);
  switch (o.input.format) {
  case GPM_FORMAT_TABLE:
    print_table(&o, &rows, &order, count);
    break;
  case GPM_FORMAT_CSV:
    print_csv(&o, &rows, &order, count);
    break;
  case GPM_FORMAT_JSON:
    print_json(&o, &rows, &order, count);
    break;
  }
  gpm_order_free(&order);
  gpm_rows_free(&rows);
  gpm_profile_free(profile);
  gpm_reader_close(reader);
  return GPM_EXIT_OK;
}
