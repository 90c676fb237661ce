/* leaks_lines_print.h - prints leaks by line as text, for `gpumemprof leaks`. */
#ifndef GPM_TOOLS_LEAKS_LINES_PRINT_H
#define GPM_TOOLS_LEAKS_LINES_PRINT_H

#include "analysis/leaks_lines.h"

/* Prints the first `most` lines, each with a few of its call paths, or with all. Returns the bytes
 * of the other lines. */
uint64_t gpm_leaks_lines_print(const struct gpm_leaks_lines *lines, const struct gpm_rows *rows,
                               uint32_t most, bool all, unsigned style);

#endif
