/* leaks_lines_print.h - leaks by line, for people: `gpumemprof leaks`. */
#ifndef GPM_TOOLS_LEAKS_LINES_PRINT_H
#define GPM_TOOLS_LEAKS_LINES_PRINT_H

#include "analysis/leaks_lines.h"

/* The first `most` lines; of each a few call paths, or all. Returns the bytes of the others. */
uint64_t gpm_leaks_lines_print(const struct gpm_leaks_lines *lines, const struct gpm_rows *rows,
                               uint32_t most, bool all, unsigned style);

#endif
