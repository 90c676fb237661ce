/* small_variables_print.h - prints the line below a table that replaces the rows of small variables
 * (small_variables.h). */
#ifndef GPM_TOOLS_SMALL_VARIABLES_PRINT_H
#define GPM_TOOLS_SMALL_VARIABLES_PRINT_H

#include "analysis/small_variables.h"

/* Prints "45 variables ... have no row (--limit 0 shows them)", or nothing if there are none. */
void gpm_small_rows_print(const struct gpm_small_rows *small_rows, unsigned style);

#endif
