/* cmd_diff.c - `gpumemprof diff`: what became of each line or function from one run to another.
 * diff_print.c and diff_table.c show it. */
#include "diff.h"
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_LIMIT 40 /* rows of a table when --limit is not given */

const struct argp_option gpm_cmd_diff_options[] = {
    {"by", 'B', "ROWS", 0, "line (default) or function", 0},
    {"sort", 's', "COLUMN", 0,
     "whose differences order the rows, the largest first (default: the first of --columns, "
     "at_peak)",
     0},
    {"limit", 'n', "N", 0, "at most N rows; 0 for all (default 40 in tables, else all)", 0},
    {"columns", 'c', "LIST", 0, "which columns: a,b,c; `help` lists them", 0},
    {"threshold", 't', "SIZE|SHARE", 0,
     "only rows whose difference is at least 1MiB, or 5% of what it was; 0 for all rows", 0},
    GPM_INPUT_OPTIONS,
    {0},
};

/* ---- options -----------------------------------------------------------------------------------
 */

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const by[] = {"line", "function", NULL};
  struct gpm_diff *d = state->input;
  switch (key) {
  case 'B':
    d->by = gpm_command_choice("kind of rows in diff", arg, by) ? GPM_BY_FUNCTION : GPM_BY_LINE;
    return 0;
  case 's':
    d->sort = gpm_columns_find_figure(arg);
    d->sorted = true;
    return 0;
  case 'n':
    gpm_shown_parse(&d->limit, arg, state);
    return 0;
  case 'c':
    d->columns = arg;
    return 0;
  case 't':
    d->has_threshold = true;
    if (!gpm_tolerance_parse(&d->threshold, arg))
      argp_error(state, "--threshold wants a size such as 1MiB or a share such as 5%%, not `%s`",
                 arg);
    return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num > 1)
      argp_error(state, "two captures at a time, please: `%s` is one too many", arg);
    d->input[state->arg_num].path = arg;
    return 0;
  case ARGP_KEY_NO_ARGS:
    if (d->columns && !strcmp(d->columns, "help")) return 0;
    argp_error(state, "which captures? `gpumemprof diff BEFORE AFTER`, or BEFORE alone to compare "
                      "it with the newest of this folder");
    return EINVAL;
  default:
    return gpm_input_parse(key, arg, state, &d->input[0]);
  }
}

/* ---- rows --------------------------------------------------------------------------------------
 */

static uint64_t size_of(int64_t difference) {
  return difference < 0 ? -(uint64_t)difference : (uint64_t)difference;
}

static bool is_wanted(const struct gpm_diff *d, const struct gpm_matched *pair) {
  const struct gpm_comparison *c = &d->comparison;
  if (d->has_threshold) {
    uint64_t by = size_of(gpm_compare_difference(c, pair, d->sort));
    return gpm_tolerance_reached(&d->threshold, (uint64_t)gpm_compare_value(c, pair, 0, d->sort),
                                 by);
  }
  if (d->input[0].format != GPM_FORMAT_TABLE) return true;
  return gpm_compare_status(c, pair, d->figure, d->figure_count) != GPM_STATUS_SAME ||
         gpm_compare_difference(c, pair, d->sort);
}

static int compare_places(const struct gpm_diff *d, const struct gpm_matched *x,
                          const struct gpm_matched *y) {
  const struct gpm_matched *pair[2] = {x, y};
  const struct gpm_reader *reader[2];
  struct gpm_key key[2];
  for (unsigned i = 0; i < 2; i++) {
    unsigned side = gpm_diff_side(pair[i]);
    reader[i] = d->side[side].reader;
    key[i] = gpm_places_key(&d->side[side].rows, gpm_compare_row(&d->comparison, pair[i], side));
    if (d->by == GPM_BY_FUNCTION) key[i].line = key[i].scope_line;
  }
  int by =
      strcmp(gpm_reader_string(reader[0], key[0].file), gpm_reader_string(reader[1], key[1].file));
  if (!by && key[0].line != key[1].line) by = key[0].line < key[1].line ? -1 : 1;
  return by ? by
            : strcmp(gpm_reader_string(reader[0], key[0].function),
                     gpm_reader_string(reader[1], key[1].function));
}

/* The largest difference first; then by place, so that equal captures give equal reports. */
static int compare(const void *a, const void *b, void *data) {
  const struct gpm_diff *d = data;
  const struct gpm_matched *x = a, *y = b;
  uint64_t one = size_of(gpm_compare_difference(&d->comparison, x, d->sort)),
           other = size_of(gpm_compare_difference(&d->comparison, y, d->sort));
  if (one != other) return one > other ? -1 : 1;
  for (unsigned i = 0; i < d->figure_count; i++) {
    one = size_of(gpm_compare_difference(&d->comparison, x, d->figure[i]));
    other = size_of(gpm_compare_difference(&d->comparison, y, d->figure[i]));
    if (one != other) return one > other ? -1 : 1;
  }
  int by = compare_places(d, x, y);
  if (!by && x->row[0] != y->row[0]) by = x->row[0] < y->row[0] ? -1 : 1;
  return by ? by : x->row[1] < y->row[1] ? -1 : x->row[1] > y->row[1];
}

static void choose(struct gpm_diff *d) {
  struct gpm_match *m = &d->comparison.match;
  d->row = gpm_memory_array(m->count, sizeof *d->row);
  for (uint32_t i = 0; i < m->count; i++)
    if (is_wanted(d, &m->pair[i])) d->row[d->row_count++] = m->pair[i];
  if (d->row_count) qsort_r(d->row, d->row_count, sizeof *d->row, compare, d);
  d->shown = gpm_shown_of(&d->limit, d->input[0].format, TABLE_LIMIT, d->row_count);
}

/* ---- the command -------------------------------------------------------------------------------
 */

/* Captures need not have the same devices; one of them has to have the one asked for. */
static bool open_both(struct gpm_diff *d) {
  const char *after = d->input[1].path;
  d->input[1] = d->input[0];
  d->input[1].path = after;
  struct gpm_reader *reader[2];
  for (unsigned i = 0; i < 2; i++) {
    reader[i] = gpm_input_open(&d->input[i]);
    if (!reader[i] && i) gpm_reader_close(reader[0]);
    if (!reader[i]) return false;
  }
  if (d->input[0].filter.device == GPM_NO_DEVICE && d->input[1].filter.device == GPM_NO_DEVICE) {
    gpm_say("neither capture has a device `%s`; `gpumemprof info` lists them", d->input[0].device);
    for (unsigned i = 0; i < 2; i++) gpm_reader_close(reader[i]);
    return false;
  }
  gpm_progress("joining allocations and frees");
  for (unsigned i = 0; i < 2; i++) gpm_side_make(&d->side[i], reader[i], d->input[i].filter, d->by);
  return true;
}

int gpm_cmd_diff_run(const struct gpm_command *command, int argc, char **argv) {
  struct gpm_diff d = {.by = GPM_BY_LINE,
                       .sort = GPM_FIGURE_at_peak,
                       .input[0].may_lack_device = true,
                       .figure = {GPM_FIGURE_at_peak, GPM_FIGURE_self_alloc, GPM_FIGURE_leaked,
                                  GPM_FIGURE_own_peak_max, GPM_FIGURE_calls},
                       .figure_count = 5};
  gpm_command_parse(command, argc, argv, 0, parse, &d);
  if (d.columns && !strcmp(d.columns, "help")) {
    gpm_columns_help_figures();
    return GPM_EXIT_OK;
  }
  if (d.columns) d.figure_count = gpm_columns_figures(d.columns, d.figure);
  if (d.columns && !d.sorted) d.sort = d.figure[0];
  if (!d.columns && d.input[0].format != GPM_FORMAT_TABLE)
    for (d.figure_count = 0; d.figure_count < GPM_FIGURE_LIFETIMES; d.figure_count++)
      d.figure[d.figure_count] = (enum gpm_figure)d.figure_count;
  if (!open_both(&d)) return GPM_EXIT_USAGE;
  gpm_progress("finding lines again");
  gpm_compare_make(&d.comparison, &d.side[0], &d.side[1]);
  for (unsigned i = 0; i < 2; i++) d.totals[i] = gpm_compare_totals(&d.side[i]);
  d.sums = gpm_compare_sums(&d.comparison, d.totals, &d.adds_up);
  choose(&d);
  gpm_progress(NULL);
  gpm_diff_print(&d);
  free(d.row);
  gpm_compare_free(&d.comparison);
  for (unsigned i = 0; i < 2; i++) gpm_side_free(&d.side[i]);
  return d.adds_up ? GPM_EXIT_OK : GPM_EXIT_FINDING;
}
