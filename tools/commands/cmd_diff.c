/* cmd_diff.c - `gpumemprof diff`: what became of each line or function from one run to another.
 * diff_print.c and diff_table.c show it. */
#include "capture/same_process.h"
#include "comparison/diff.h"

#include <stdlib.h>
#include <string.h>

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
      argp_error(
          state,
          "--threshold wants a size with its unit such as 1MiB or a share such as 5%%, not `%s`",
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

/* ---- the command -------------------------------------------------------------------------------
 */

/* Else a capture would be compared with itself, and nothing would have changed. */
static bool are_two(const struct gpm_diff *d, struct gpm_reader *const reader[2]) {
  if (d->input[1].path || gpm_same_of(reader[0], reader[1]) != GPM_SAME_CAPTURE) return true;
  char *name = gpm_text_clean(reader[0]->path);
  gpm_say("%s is itself the newest capture of this folder; name what to compare it with: "
          "gpumemprof diff %s AFTER",
          name, name);
  free(name);
  return false;
}

/* Captures need not have the same devices; one of them has to have the one asked for. */
static bool have_device(const struct gpm_diff *d) {
  if (d->input[0].filter.device != GPM_NO_DEVICE || d->input[1].filter.device != GPM_NO_DEVICE)
    return true;
  gpm_say("neither capture has a device `%s`; `gpumemprof info` lists them", d->input[0].device);
  return false;
}

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
  if (!have_device(d) || !are_two(d, reader)) {
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
  if (!d.columns && d.input[0].format != GPM_FORMAT_TABLE) gpm_diff_take_all(&d);
  if (!open_both(&d)) return GPM_EXIT_USAGE;
  gpm_diff_make(&d);
  gpm_progress(NULL);
  gpm_diff_print(&d);
  gpm_diff_free(&d);
  for (unsigned i = 0; i < 2; i++) gpm_side_free(&d.side[i]);
  return d.adds_up ? GPM_EXIT_OK : GPM_EXIT_FINDING;
}
