/* run_arguments.h - the command line of `gpumemprof run`, which `gpumemprof dryrun` shares. */
#ifndef GPM_TOOLS_RUN_ARGUMENTS_H
#define GPM_TOOLS_RUN_ARGUMENTS_H

#include "running/run_options.h"

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

struct gpm_command;

struct gpm_run {
  struct gpm_run_options options;
  const struct gpm_command *commands; /* the table of all, one of which makes the report */
  bool quiet;                         /* no line of progress */
  bool report, no_report;             /* at the end; neither: the answer in five lines */
  bool simulated;                     /* on simulated devices */
  bool silent;                        /* nothing at the end, unless no capture was written */
  int first;                          /* the argument that names the program */
  uint64_t number;
};

enum {
  GPM_RUN_HISTORY = 256,
  GPM_RUN_RING,
  GPM_RUN_MONITOR,
  GPM_RUN_RANKS,
  GPM_RUN_CUPTI,
  GPM_RUN_DUMP,
  GPM_RUN_OPTION,
  GPM_RUN_REPORT,
  GPM_RUN_NO_REPORT,
  GPM_RUN_OWN /* keys from here on are the command's own */
};

/* clang-format off */
#define GPM_RUN_ARGUMENTS \
    {"output", 'o', "PATH", 0, "name of the capture; %h is the host, %p the process, %r the rank", 0}, \
    {"history", GPM_RUN_HISTORY, "WHICH", 0, "record every event: off, ring or all", 0}, \
    {"ring", GPM_RUN_RING, "N", 0, "number of events that --history=ring keeps", 0}, \
    {"monitor", GPM_RUN_MONITOR, "TIME", 0, "sample each device at this interval: 100ms", 0}, \
    {"ranks", GPM_RUN_RANKS, "LIST", 0, "profile only these processes of a parallel job: 0,3", 0}, \
    {"cupti", GPM_RUN_CUPTI, NULL, 0, "record through CUPTI even where the program uses CUPTI itself, whose calls of it may then fail; elsewhere this is the default", 0}, \
    {"dump", GPM_RUN_DUMP, "WHEN", 0, "copy the capture during the run: signal:USR2, every:10s, bytes:1GiB, peak", 0}, \
    {"option", GPM_RUN_OPTION, "KEY=VALUE", 0, "any option of the runtime (`info --options`)", 0}, \
    {"quiet", 'q', NULL, 0, "show no line of progress on a terminal", 0}, \
    {"report", GPM_RUN_REPORT, NULL, 0, "print the report at the end instead of five lines", 0}, \
    {"no-report", GPM_RUN_NO_REPORT, NULL, 0, "only name the capture at the end", 0}
/* clang-format on */

/* Handles the keys above, and the argument that names the program. `example` is for the message
 * that none was named. */
error_t gpm_run_parse(struct gpm_run *run, int key, char *arg, struct argp_state *state,
                      const char *example);

#endif
