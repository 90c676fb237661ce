/* machine_paths_print.h - prints the comparison of call paths with the machine stack
 * (machine_paths.h) as text and as JSON, for `gpumemprof info --paths`. */
#ifndef GPM_TOOLS_MACHINE_PATHS_PRINT_H
#define GPM_TOOLS_MACHINE_PATHS_PRINT_H

#include "analysis/machine_paths.h"
#include "output/shown.h"

/* Compares the paths and prints the result. Returns false if a path differs from the machine
 * stack. */
bool gpm_machine_paths_print(const struct gpm_reader *reader, enum gpm_format format);

#endif
