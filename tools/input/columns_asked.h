/* columns_asked.h - parses the columns that the command line names. These functions are those of
 * rows/columns.h, except that a wrong name ends the tool with status 2 after an error message. */
#ifndef GPM_TOOLS_COLUMNS_ASKED_H
#define GPM_TOOLS_COLUMNS_ASKED_H

#include "input/command.h"
#include "rows/columns.h"

/* Whether --columns asks what there is: `help` instead of a list; `columns` may be null. */
bool gpm_asked_help(const char *columns);
/* Prints the columns of the command and what each means, if --columns asks that. Returns whether it
 * did. */
bool gpm_asked_print_help(const struct gpm_input *input);
/* Of the commands whose columns are those of a report: whether it has the column. */
bool gpm_asked_has_column(const struct gpm_command *command, unsigned column);

/* Returns a list of columns, or the column of --sort, in which what rows are (`label` with --by
 * label) is named `location`, which is where they have it; to be freed. What only other rows are is
 * refused. *named: it was there. */
char *gpm_asked_of_rows(const char *list, enum gpm_by by, bool *named);
struct gpm_choice gpm_asked_columns(const char *list);
struct gpm_choice gpm_asked_columns_of_several(const char *list, enum gpm_by by);
unsigned gpm_asked_column_of_several(const char *key, enum gpm_by by);
unsigned gpm_asked_column(const char *what, const char *key);
unsigned gpm_asked_list(const char *list, const char *what, const char *const *keys,
                        unsigned *column);

#endif
