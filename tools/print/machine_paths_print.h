/* machine_paths_print.h - call paths against the machine stack (machine_paths.h) as text and as
 * JSON: `gpumemprof info --paths`. */
#ifndef GPM_TOOLS_MACHINE_PATHS_PRINT_H
#define GPM_TOOLS_MACHINE_PATHS_PRINT_H

#include "analysis/machine_paths.h"
#include "support/shown.h"

/* Compares and prints; false if a path is not that of the machine. */
bool gpm_machine_paths_print(const struct gpm_reader *reader, enum gpm_format format);

#endif
