/* cmd_tree.c - `gpumemprof tree`: the call tree with inclusive figures. This file has the options;
 * print/tree.h has the rest. */
#include "input/columns_asked.h"
#include "over_time/lifetimes.h"
#include "print/tree.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_LAYOUT = 256 };

const struct argp_option gpm_cmd_tree_options[] = {
    {"layout", OPTION_LAYOUT, "NAME", 0,
     "table (default) or cupy: file:line:function (requested, acquired)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  static const char *const layouts[] = {"table", "cupy", NULL};
  struct gpm_tree *o = state->input;
  switch (key) {
  case OPTION_LAYOUT:
    o->cupy = gpm_say_choice("layout", arg, layouts) == 1;
    return 0;
  case ARGP_KEY_END:
    if (o->cupy && o->input.columns) argp_error(state, "--layout cupy has columns of its own");
    if (o->cupy && o->input.format != GPM_FORMAT_TABLE)
      argp_error(state, "--layout cupy is a text: it has no json or csv");
    return 0;
  default:
    return gpm_input_parse(key, arg, state, &o->input);
  }
}

/* A list of columns, in which `path` is what rows are; to be freed. */
static char *named_for_rows(const char *list) {
  bool named;
  return gpm_asked_of_rows(list, GPM_BY_PATH, &named);
}

/* The branches are drawn in the last column. */
static struct gpm_choice choose(const struct gpm_input *input) {
  struct gpm_choice choice = {.count = 0}, named = {.count = GPM_TREE_COLUMNS};
  if (!input->columns && input->format != GPM_FORMAT_TABLE) return gpm_columns_all();
  if (input->columns) {
    char *list = named_for_rows(input->columns);
    named = gpm_asked_columns(list);
    free(list);
  } else memcpy(named.column, gpm_tree_columns, sizeof gpm_tree_columns);
  if (input->format != GPM_FORMAT_TABLE) return named;
  for (unsigned i = 0; i < named.count; i++)
    if (named.column[i] != GPM_TEXT_location) choice.column[choice.count++] = named.column[i];
  choice.column[choice.count++] = GPM_TEXT_location;
  return choice;
}

int gpm_cmd_tree_run(const struct gpm_command *command, int argc, char **argv) {
  struct gpm_tree o = {.sort = GPM_TREE_BY_WEIGHT};
  gpm_command_parse(command, argc, argv, 0, parse, &o);
  if (gpm_asked_print_help(&o.input)) return GPM_EXIT_OK;
  o.choice = choose(&o.input);
  if (o.input.sort) {
    char *sort = named_for_rows(o.input.sort);
    o.sort = gpm_asked_column("column", sort);
    free(sort);
  }
  struct gpm_profile *profile = gpm_input_read(&o.input);
  if (!profile) return GPM_EXIT_USAGE;
  struct gpm_rows rows;
  gpm_rows_make(&rows, profile, GPM_BY_PATH);
  if (gpm_columns_have_lifetimes(&o.choice) || gpm_columns_are_lifetimes(o.sort))
    gpm_lifetimes_add(&rows, o.input.reader);
  gpm_tree_make(&o, &rows);
  gpm_progress(NULL);
  gpm_tree_print(&o);
  gpm_tree_free(&o);
  gpm_rows_free(&rows);
  return gpm_input_close(&o.input, profile);
}
