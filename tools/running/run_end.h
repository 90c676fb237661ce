/* run_end.h - what `gpumemprof run` says when the program has ended: the captures that it wrote,
 * and the answer of them in short, or the report. All of it goes to standard error. */
#ifndef GPM_TOOLS_RUN_END_H
#define GPM_TOOLS_RUN_END_H

#include "running/run_arguments.h"

struct gpm_run_end {
  const struct gpm_run *run;
  int notes;               /* run_notes.h */
  const char *name, *path; /* of the program, as it was named and where it is */
  uint64_t pid;
  int signal; /* the one that ended it; 0: none */
};

void gpm_run_end_say(const struct gpm_run_end *end);

#endif
