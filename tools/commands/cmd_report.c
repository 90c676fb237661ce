/* cmd_report.c - `gpumemprof report`: rows of figures. This file has the options; report_print.c
 * prints the rows as a table, JSON or CSV. */
#include "advise/advise.h"
#include "input/columns_asked.h"
#include "output/json.h"
#include "over_time/lifetimes.h"
#include "print/report.h"
#include "rows/least.h"
#include "rows/path_rank.h"
#include "rows/rows_make.h"
#include "support/text.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

const struct argp_option gpm_cmd_report_options[] = {
    {"by", 'B', "ROWS", 0,
     "line (default), function, file, path, kind, device, label, stream, variable, type, size or "
     "thread",
     0},
    {"group-by", 'G', "A,B", 0, "rows by A, each split by B: function,kind or file,label", 0},
    {"explain", 'e', NULL, 0, "explain each column below the table", 0},
    {0},
};

static enum gpm_by parse_by(const char *word) {
  static const char *const by[] = {
#define GPM_BY(NAME, name, text) name,
#include "model/by.def"
      NULL};
  return (enum gpm_by)gpm_say_choice("kind of rows", word, by);
}

static void parse_groups(struct gpm_report *o, const char *arg, struct argp_state *state) {
  char *first = gpm_memory_text(arg), *second = strchr(first, ',');
  if (!second || strchr(second + 1, ','))
    argp_error(state, "--group-by wants two kinds of rows, like function,kind, not `%s`", arg);
  *second++ = 0;
  o->by = parse_by(first);
  o->second = parse_by(second);
  if (o->by == o->second)
    argp_error(state, "--group-by wants two different kinds of rows, not `%s`", arg);
  if (gpm_by_needs_events(o->by) && gpm_by_needs_events(o->second))
    argp_error(state, "--group-by takes one of size and thread, not both");
  o->grouped = true;
  free(first);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct gpm_report *o = state->input;
  switch (key) {
  case 'B':
    o->by = parse_by(arg);
    o->by_given = true;
    return 0;
  case 'G':
    parse_groups(o, arg, state);
    return 0;
  case ARGP_KEY_END:
    if (o->by_given && o->grouped)
      argp_error(state, "--group-by names both kinds of rows; leave out --by");
    return 0;
  case 'e':
    o->explain = true;
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

static bool is_small(const struct gpm_report *o, const struct gpm_row *row) {
  return gpm_least_hides(o->input.least, o->least_of, gpm_row_knows(row, o->least_of),
                         row->value[o->least_of]);
}

void gpm_report_hide_small(struct gpm_report *o, const struct gpm_rows *rows,
                           struct gpm_order *order) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < order->count; i++)
    if (!is_small(o, &rows->row[order->row[i]])) order->row[left++] = order->row[i];
  o->hidden = order->count - left;
  order->count = left;
}

/* The number of calls is no reason to show a row. */
static bool is_zero(const struct gpm_report *o, const struct gpm_row *row) {
  if (row->value[GPM_FIGURE_failed_calls] || row->value[GPM_FIGURE_incl_alloc] ||
      row->value[GPM_FIGURE_self_alloc])
    return false;
  for (unsigned i = 0; i < o->choice.count; i++) {
    unsigned column = o->choice.column[i];
    if (column < GPM_FIGURE_COUNT && column != GPM_FIGURE_calls &&
        gpm_row_knows(row, (enum gpm_figure)column) && row->value[column])
      return false;
  }
  return true;
}

static bool leaves_out(struct gpm_report *o, const struct gpm_row *row) {
  if (!is_zero(o, row)) return false;
  o->zeros++;
  o->frees += row->value[GPM_FIGURE_incl_freed] || row->value[GPM_FIGURE_self_freed];
  return true;
}

/* A table without room for all rows shows the important ones. */
static bool leaves_nothing_out(const struct gpm_report *o) {
  return gpm_input_shows_all(&o->input);
}

/* Headers of libraries bring dozens of variables of a byte, and calls in which nothing moved have
 * rows, too. */
void gpm_report_leave_out(struct gpm_report *o, struct gpm_rows *rows, struct gpm_order *order) {
  if (leaves_nothing_out(o)) return;
  struct gpm_small_variables *of_row = gpm_small_variables_of_rows(rows);
  order->count = gpm_small_rows_leave_out(&o->small_rows, of_row, order->row, order->count);
  free(of_row);
  if (o->input.columns) return; /* a user who names columns may want to see that they are 0 */
  uint32_t left = 0;
  for (uint32_t i = 0; i < order->count; i++)
    if (!leaves_out(o, &rows->row[order->row[i]])) order->row[left++] = order->row[i];
  order->count = left;
}

enum { ROOM_FOR_CALLS = 100, ROOM_FOR_GROUPS = 160 }; /* columns of the terminal */

/* Parts of a run have no inclusive figures, so figures of self are shown beside these. */
static struct gpm_choice usual_of_groups(enum gpm_by by) {
  uint32_t room = gpm_terminal_room();
  if (gpm_by_is_flat(by)) return gpm_columns_usual(by);
  if (room && room < ROOM_FOR_GROUPS)
    return (struct gpm_choice){.column = {GPM_FIGURE_at_peak, GPM_FIGURE_self_at_peak,
                                          GPM_FIGURE_self_alloc, GPM_FIGURE_leaked,
                                          GPM_TEXT_location},
                               .count = 5};
  return (struct gpm_choice){
      .column = {GPM_FIGURE_at_peak, GPM_FIGURE_self_at_peak, GPM_FIGURE_own_peak_max,
                 GPM_FIGURE_incl_alloc, GPM_FIGURE_self_alloc, GPM_FIGURE_self_freed,
                 GPM_FIGURE_self_net, GPM_FIGURE_blocks, GPM_FIGURE_leaked, GPM_TEXT_location},
      .count = 10};
}

/* The number of calls is shown where there is room for it beside the location. */
static struct gpm_choice usual_with_room(enum gpm_by by, bool verbose) {
  struct gpm_choice all = gpm_columns_usual(by), choice = {.count = 0};
  uint32_t room = gpm_terminal_room();
  bool has_room = verbose || !room || room >= ROOM_FOR_CALLS;
  for (unsigned i = 0; i < all.count; i++)
    if (has_room || all.column[i] != GPM_FIGURE_calls)
      choice.column[choice.count++] = all.column[i];
  return choice;
}

/* JSON and CSV have it anyway, in fields of their own. */
static bool has_name(const struct gpm_report *o) {
  bool json = o->input.format == GPM_FORMAT_JSON && o->by == GPM_BY_PATH;
  return o->input.format != GPM_FORMAT_TABLE && !o->grouped && (json || *gpm_json_row_names(o->by));
}

static struct gpm_choice choose_asked(const struct gpm_report *o) {
  bool named;
  char *list = gpm_asked_of_rows(o->input.columns, o->by, &named);
  struct gpm_choice all = gpm_asked_columns(list), choice = {.count = 0};
  free(list);
  for (unsigned i = 0; i < all.count; i++)
    if (!named || !has_name(o) || all.column[i] != GPM_TEXT_location)
      choice.column[choice.count++] = all.column[i];
  return choice;
}

/* If no other column says what a row is, `location` does. */
static struct gpm_choice choose(const struct gpm_report *o) {
  bool table = o->input.format == GPM_FORMAT_TABLE, named = !table || !o->grouped;
  if (o->input.columns) {
    struct gpm_choice choice = choose_asked(o);
    for (unsigned i = 0; i < choice.count; i++) named |= choice.column[i] == GPM_TEXT_location;
    if (!named) choice.column[choice.count++] = GPM_TEXT_location;
    return choice;
  }
  if (table) return o->grouped ? usual_of_groups(o->by) : usual_with_room(o->by, o->input.verbose);
  bool parts = o->grouped && gpm_columns_have_locations(o->second);
  struct gpm_choice all = gpm_columns_all_of(parts ? o->second : o->by),
                    choice = {.column = {GPM_TEXT_location}, .count = 1};
  /* JSON has the path as a list, and as text it may be long. */
  if (o->by == GPM_BY_PATH && o->input.format == GPM_FORMAT_JSON) choice.count = 0;
  for (unsigned i = 0; i < all.count; i++) choice.column[choice.count++] = all.column[i];
  return choice;
}

static void add_lifetimes(const struct gpm_report *o, struct gpm_rows *rows) {
  bool lifetimes = gpm_columns_have_lifetimes(&o->choice) || gpm_columns_are_lifetimes(o->sort);
  if (lifetimes && !gpm_by_is_flat(o->by)) gpm_lifetimes_add(rows, o->input.reader);
}

/* All rows, of which some are shown. */
static void make_all(struct gpm_report *o, const struct gpm_profile *profile, struct gpm_rows *rows,
                     struct gpm_order *order) {
  gpm_rows_make(rows, profile, o->by);
  add_lifetimes(o, rows);
  gpm_progress("sorting");
  gpm_order_make(order, rows, o->sort, false);
  gpm_report_hide_small(o, rows, order);
  gpm_report_leave_out(o, rows, order);
}

/* What gpm_report_leave_out does with rows. */
static void leave_out_nodes(struct gpm_report *o, const struct gpm_path_rank *rank,
                            struct gpm_order *order) {
  if (leaves_nothing_out(o)) return;
  struct gpm_small_variables *of_node = gpm_small_variables_of_paths(rank);
  order->count = gpm_small_rows_leave_out(&o->small_rows, of_node, order->row, order->count);
  free(of_node);
  if (o->input.columns) return;
  struct gpm_row row = {0};
  uint32_t left = 0;
  for (uint32_t i = 0; i < order->count; i++) {
    gpm_path_rank_row(rank, order->row[i], &row);
    if (!leaves_out(o, &row)) order->row[left++] = order->row[i];
  }
  order->count = left;
}

/* The rows that are shown, if they are a few of a great many. */
static void make_shown(struct gpm_report *o, const struct gpm_profile *profile,
                       struct gpm_rows *rows, struct gpm_order *order) {
  struct gpm_path_rank rank;
  gpm_path_rank_make(&rank, profile, (enum gpm_figure)o->sort);
  order->row = gpm_memory_array((size_t)profile->node_count + 1, sizeof *order->row);
  struct gpm_row row = {0};
  for (uint32_t n = 0; n < profile->node_count; n++) {
    gpm_path_rank_row(&rank, n, &row);
    if (!gpm_rows_shows(profile, GPM_BY_PATH, &row)) continue;
    if (is_small(o, &row)) o->hidden++;
    else order->row[order->count++] = n;
  }
  leave_out_nodes(o, &rank, order);
  gpm_progress("sorting");
  uint32_t count = gpm_input_shown(&o->input, order->count);
  gpm_path_rank_first(&rank, order->row, order->count, count);
  gpm_path_rank_free(&rank);
  gpm_rows_make_paths(rows, profile, order->row, count);
  add_lifetimes(o, rows);
  for (uint32_t i = 0; i < count; i++) order->row[i] = i;
}

static bool shows_some_paths(const struct gpm_report *o) {
  return o->by == GPM_BY_PATH && gpm_input_shown(&o->input, UINT32_MAX) < UINT32_MAX &&
         gpm_path_rank_can(o->sort);
}

static void show(struct gpm_report *o, const struct gpm_profile *profile) {
  struct gpm_rows rows;
  struct gpm_order order = {.count = 0};
  if (shows_some_paths(o)) make_shown(o, profile, &rows, &order);
  else make_all(o, profile, &rows, &order);
  uint32_t count = gpm_input_shown(&o->input, order.count);
  if (o->input.format != GPM_FORMAT_TABLE || gpm_report_has_notes(o))
    gpm_owners_name_losers(&rows, order.row, count);
  if (o->grouped) gpm_groups_make(&o->groups, &rows, o->second, o->sort);
  gpm_progress(NULL);
  gpm_report_print(o, &rows, &order, count);
  gpm_order_free(&order);
  if (o->grouped) gpm_groups_free(&o->groups);
  gpm_rows_free(&rows);
}

/* What lowers the peak most, if the report is of all memory. */
static char *advice_of(const struct gpm_report *o, const struct gpm_profile *profile) {
  bool all = profile->all_cells_shown && !gpm_split_is_part(o->input.reader);
  if (o->input.format != GPM_FORMAT_TABLE || !all) return NULL;
  return gpm_advise_best(o->input.reader, profile, o->input.exact ? GPM_TEXT_EXACT : 0);
}

bool gpm_report_begin(struct gpm_report *o, const struct gpm_command *command, int argc,
                      char **argv, argp_parser_t parser) {
  gpm_command_parse(command, argc, argv, 0, parser, o);
  if (gpm_asked_print_help(&o->input)) return false;
  enum gpm_figure usual = (enum gpm_figure)o->sort; /* of this command; it is in bytes */
  if (o->input.sort) {
    bool named;
    char *sort = gpm_asked_of_rows(o->input.sort, o->by, &named);
    o->sort = gpm_asked_column("column", sort);
    free(sort);
  }
  o->least_of = gpm_least_of(o->sort, usual);
  return true;
}

int gpm_cmd_report_run(const struct gpm_command *command, int argc, char **argv) {
  struct gpm_report o = {.by = GPM_BY_LINE, .sort = GPM_FIGURE_at_peak, .suggests = true};
  if (!gpm_report_begin(&o, command, argc, argv, parse)) return GPM_EXIT_OK;
  o.choice = choose(&o);
  o.input.split.by = o.grouped && !gpm_by_needs_events(o.by) ? o.second : o.by;
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  o.advice = advice_of(&o, profile);
  show(&o, profile);
  free(o.advice);
  return gpm_input_close(&o.input, profile);
}
