/* trifles_print.h - the line below a table that stands for its small variables (trifles.h). */
#ifndef GPM_TOOLS_TRIFLES_PRINT_H
#define GPM_TOOLS_TRIFLES_PRINT_H

#include "analysis/trifles.h"

/* "45 variables ... have no row (--limit 0 shows them)", or nothing. */
void gpm_trifles_print(const struct gpm_trifles *trifles, unsigned style);

#endif
