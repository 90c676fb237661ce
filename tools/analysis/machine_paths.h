/* machine_paths.h - call paths against the machine stack: `gpumemprof info --paths`,
 * and the losses of a capture that was made with verify=paths. */
#ifndef GPM_TOOLS_MACHINE_PATHS_H
#define GPM_TOOLS_MACHINE_PATHS_H

#include "input/command.h"

/* Counts the paths that differ and those that cannot be compared in the counters of the header, as
 * losses of every command. Cheap where the capture has no machine stacks. */
void gpm_machine_paths_count(struct gpm_reader *reader);

/* Compares and prints; GPM_EXIT_FINDING if a path is not that of the machine. */
int gpm_machine_paths_print(const struct gpm_reader *reader, enum gpm_format format);

#endif
