/* machine_paths.h - call paths against the machine stack: `gpumemprof info --paths`. */
#ifndef GPM_TOOLS_MACHINE_PATHS_H
#define GPM_TOOLS_MACHINE_PATHS_H

#include "command.h"

/* Compares and prints; GPM_EXIT_FINDING if a path is not that of the machine. */
int gpm_machine_paths_print(const struct gpm_reader *reader, enum gpm_format format);

#endif
