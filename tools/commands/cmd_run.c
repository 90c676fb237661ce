/* cmd_run.c - `gpumemprof run`: runs a program with run-time options, and says in five lines what
 * became of its memory. The exit status is the program's.
 */
#include "input/command.h"
#include "running/run_program.h"
#include "support/child.h"

#include <stdlib.h>

const struct argp_option gpm_cmd_run_options[] = {GPM_RUN_ARGUMENTS, {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  return gpm_run_parse(state->input, key, arg, state, "gpumemprof run -- ./app");
}

int gpm_cmd_run_run(const struct gpm_command *command, int argc, char **argv) {
  struct gpm_run run = {.commands = gpm_commands};
  gpm_run_options_begin(&run.options);
  gpm_command_parse(command, argc, argv, ARGP_IN_ORDER, parse, &run);
  char **program = argv + run.first, *path = gpm_child_find(program[0]);
  bool ready = path && gpm_run_options_export(&run.options);
  int status = ready ? gpm_run_program(&run, path, program) : GPM_EXIT_USAGE;
  gpm_run_options_free(&run.options);
  free(path);
  return status;
}
