/* run_arguments.c - see run_arguments.h. */
#include "running/run_arguments.h"

#include "support/child.h"

/* The option of the runtime that has the same name as that of the command line; null: it is another
 * one. */
static const char *name_in_runtime(int key) {
  static const struct argp_option all[] = {GPM_RUN_ARGUMENTS, {0}};
  switch (key) {
  case 'o':
  case GPM_RUN_HISTORY:
  case GPM_RUN_RING:
  case GPM_RUN_MONITOR:
  case GPM_RUN_RANKS:
  case GPM_RUN_CUPTI:
  case GPM_RUN_DUMP:
    for (const struct argp_option *one = all; one->name; one++)
      if (one->key == key) return one->name;
  }
  return NULL;
}

error_t gpm_run_parse(struct gpm_run *run, int key, char *arg, struct argp_state *state,
                      const char *example) {
  const char *same = name_in_runtime(key);
  if (same) {
    gpm_run_options_set(&run->options, same, arg ? arg : "1");
    return 0;
  }
  switch (key) {
  case GPM_RUN_OPTION:
    gpm_run_options_assign(&run->options, arg);
    return 0;
  case 'q':
    run->quiet = true;
    return 0;
  case GPM_RUN_REPORT:
    run->report = true;
    return 0;
  case GPM_RUN_NO_REPORT:
    run->no_report = true;
    return 0;
  case ARGP_KEY_END:
    if (run->report && run->no_report) argp_error(state, "--report or --no-report, not both");
    return 0;
  default:
    return gpm_child_argument(key, state, &run->first, example);
  }
}
