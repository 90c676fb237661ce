/* run_program.h - starts the program of `gpumemprof run` or `dryrun`, waits for it, and says what
 * became of it: see run_program.c. */
#ifndef GPM_TOOLS_RUN_PROGRAM_H
#define GPM_TOOLS_RUN_PROGRAM_H

#include "running/run_arguments.h"

/* Returns the exit status of the program, or 128 plus the number of the signal that ended it; 2 if
 * it could not be started, which was reported. */
int gpm_run_program(struct gpm_run *run, const char *path, char **program);

#endif
