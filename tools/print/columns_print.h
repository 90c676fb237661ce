/* columns_print.h - what is printed below a table about its columns. */
#ifndef GPM_TOOLS_COLUMNS_PRINT_H
#define GPM_TOOLS_COLUMNS_PRINT_H

#include "rows/columns.h"

/* Prints what each column of the choice means, for --explain. */
void gpm_columns_explain(const struct gpm_choice *choice);
/* Prints the note below a table that shows a row whose `at peak` is the sum of several devices: no
 * device ever held as much. Prints nothing if `at peak` is not among the columns. */
void gpm_columns_say_sum(const unsigned *column, unsigned count);
/* Prints what calls and own peaks mean where code was not rebuilt, if such a column is shown. seen:
 * gpm_row.machine of all rows that are shown. */
void gpm_columns_say_machine(const unsigned *column, unsigned count, unsigned seen);

#endif
