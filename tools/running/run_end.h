/* run_end.h - what `gpumemprof run` says when the program has ended: the captures that it wrote,
 * and the answer of them in short, or the report. All of it goes to standard error. */
#ifndef GPM_TOOLS_RUN_END_H
#define GPM_TOOLS_RUN_END_H

#include <stdbool.h>
#include <stdint.h>

struct gpm_command;

struct gpm_run_end {
  const struct gpm_command *commands; /* the table of all, one of which makes the report */
  const char *output; /* the pattern of the captures' names, and the number of the run in them */
  uint64_t number;
  bool report, no_report;  /* neither: the answer */
  const char *name, *path; /* of the program, as it was named and where it is */
  uint64_t pid;
  int signal; /* the one that ended it; 0: none */
};

void gpm_run_end_say(const struct gpm_run_end *end);

#endif
