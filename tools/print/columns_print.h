/* columns_print.h - what columns are, for --columns help and --explain. */
#ifndef GPM_TOOLS_COLUMNS_PRINT_H
#define GPM_TOOLS_COLUMNS_PRINT_H

#include "rows/columns.h"

void gpm_columns_help(void);
void gpm_columns_help_figures(void);
/* One line for each column of the choice. */
void gpm_columns_explain(const struct gpm_choice *choice);
/* Below a table with a row whose `at peak` is of several devices: no device ever held as much. */
void gpm_columns_say_sum(void);

#endif
