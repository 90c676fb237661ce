/* cmd_diff.c - `gpumemprof diff`: what became of each line or function from one run to another.
 * diff_print.c and diff_table.c show it. */
#include "capture/identity.h"
#include "comparison/diff.h"
#include "input/columns_asked.h"
#include "input/command.h"
#include "print/diff_print.h"
#include "rows/least.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

struct asked {
  struct gpm_input input[2]; /* of both captures; they differ only in the path */
  struct gpm_diff diff;
};

const struct argp_option gpm_cmd_diff_options[] = {
    {"by", 'B', "ROWS", 0, "line (default) or function", 0},
    {"threshold", 't', "SIZE|SHARE", 0,
     "only rows that differ by at least a size, 1MiB, or a share of what was there before, 5%; 0 "
     "shows all rows",
     0},
    {0},
};

/* ---- options -----------------------------------------------------------------------------------
 */

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const by[] = {"line", "function", NULL};
  struct asked *asked = state->input;
  struct gpm_diff *d = &asked->diff;
  switch (key) {
  case 'B':
    d->by = gpm_say_choice("kind of rows in diff", arg, by) ? GPM_BY_FUNCTION : GPM_BY_LINE;
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
    asked->input[state->arg_num].path = arg;
    return 0;
  case ARGP_KEY_NO_ARGS:
    if (gpm_asked_help(asked->input[0].columns)) return 0;
    argp_error(state, "which captures? `gpumemprof diff BEFORE AFTER`, or BEFORE alone to compare "
                      "it with the newest of this folder");
    return EINVAL;
  default:
    return gpm_input_parse(key, arg, state, &asked->input[0]);
  }
}

/* ---- the command -------------------------------------------------------------------------------
 */

/* Else a capture would be compared with itself, and nothing would have changed. */
static bool are_two(const struct asked *asked, struct gpm_reader *const reader[2]) {
  if (asked->input[1].path ||
      gpm_identity_compare(reader[0], reader[1]) != GPM_IDENTITY_SAME_CAPTURE)
    return true;
  char *name = gpm_text_clean(reader[0]->path);
  gpm_say("%s is itself the newest capture of this folder; name what to compare it with: "
          "gpumemprof diff %s AFTER",
          name, name);
  free(name);
  return false;
}

/* The captures need not have the same devices, but one of them has to have that of --device. */
static bool have_device(const struct asked *asked) {
  if (asked->input[0].filter.device != GPM_NO_DEVICE ||
      asked->input[1].filter.device != GPM_NO_DEVICE)
    return true;
  gpm_say("neither capture has a device `%s`; `gpumemprof info` lists them",
          asked->input[0].device);
  return false;
}

static bool open_both(struct asked *asked) {
  const char *after = asked->input[1].path;
  asked->input[0].against = after;
  asked->input[1] = asked->input[0];
  asked->input[1].path = after;
  asked->diff.least = asked->input[0].least;
  asked->diff.least_of = gpm_least_of(asked->diff.sort, GPM_FIGURE_at_peak);
  struct gpm_reader *reader[2];
  for (unsigned i = 0; i < 2; i++) {
    if (i) gpm_input_hide_as(&asked->input[1], &asked->input[0]);
    reader[i] = gpm_input_open_part(&asked->input[i]);
    if (!reader[i] && i) gpm_reader_close(reader[0]);
    if (!reader[i]) return false;
  }
  if (!have_device(asked) || !are_two(asked, reader)) {
    for (unsigned i = 0; i < 2; i++) gpm_reader_close(reader[i]);
    return false;
  }
  gpm_progress("joining allocations and frees");
  for (unsigned i = 0; i < 2; i++)
    gpm_side_make(&asked->diff.side[i], reader[i], asked->input[i].filter, asked->diff.by);
  return true;
}

/* Each figure takes three columns: A, B and the difference. A terminal has room for some. */
static const char *usual(const struct gpm_input *input) {
  uint32_t room = gpm_terminal_room();
  if (input->format != GPM_FORMAT_TABLE || input->verbose || !room || room >= 160)
    return "at_peak,self_alloc,leaked,own_peak_max,calls";
  return room >= 100 ? "at_peak,leaked" : "at_peak";
}

/* Applies the options, once all of them are known. */
static void choose(struct asked *asked) {
  struct gpm_diff *d = &asked->diff;
  enum gpm_format format = asked->input[0].format;
  const char *columns = asked->input[0].columns, *sort = asked->input[0].sort;
  d->choice = gpm_asked_columns_of_several(columns ? columns : usual(&asked->input[0]), d->by);
  d->figure_count = gpm_columns_figures(&d->choice, d->figure);
  gpm_columns_name_rows(&d->choice);
  if (d->figure_count) d->sort = d->figure[0];
  unsigned by = sort ? gpm_asked_column_of_several(sort, d->by) : d->sort;
  if (by < GPM_FIGURE_COUNT) d->sort = (enum gpm_figure)by;
  else d->by_text = by;
  if (!asked->input[0].columns && format != GPM_FORMAT_TABLE) gpm_diff_take_all(d);
  d->is_table = format == GPM_FORMAT_TABLE;
  d->has_all = gpm_input_shows_all(&asked->input[0]);
  d->most = gpm_input_shown(&asked->input[0], UINT32_MAX);
}

int gpm_cmd_diff_run(const struct gpm_command *command, int argc, char **argv) {
  struct asked asked = {.input[0].may_lack_device = true,
                        .input[0].compares = true,
                        .input[0].may_lack_wrapper = true,
                        .diff = {.by = GPM_BY_LINE, .sort = GPM_FIGURE_at_peak}};
  struct gpm_diff *d = &asked.diff;
  gpm_command_parse(command, argc, argv, 0, parse, &asked);
  if (gpm_asked_print_help(&asked.input[0])) return GPM_EXIT_OK;
  choose(&asked);
  if (!open_both(&asked)) return GPM_EXIT_USAGE;
  gpm_diff_make(d);
  gpm_progress(NULL);
  gpm_diff_print(d, &asked.input[0]);
  gpm_diff_free(d);
  for (unsigned i = 0; i < 2; i++) gpm_side_free(&d->side[i]);
  gpm_patterns_free(&asked.input[0].patterns); /* the other input shares them */
  return d->adds_up ? GPM_EXIT_OK : GPM_EXIT_FINDING;
}
