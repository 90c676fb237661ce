/* table.h - tables and trees on a terminal or in a file, by libsmartcols. */
#ifndef GPM_TOOLS_TABLE_H
#define GPM_TOOLS_TABLE_H

#include "rows/columns.h"

struct libscols_table;
struct libscols_line;

/* A table of columns and lines of the caller's own; `number`: to the right. */
struct libscols_table *gpm_table_empty(void);
void gpm_table_column(struct libscols_table *table, const char *title, bool number, bool last);
/* Says that memory ran out, and ends. */
_Noreturn void gpm_table_failed(void);

/* The last column of the choice should be the longest text; tree: it shows the branches. */
struct libscols_table *gpm_table_new(const struct gpm_choice *choice, bool tree);
/* One row. `location` and `note` may be null: the first stands for the row's own location, or
 * where that is no column in the last one; the second is added. */
struct libscols_line *gpm_table_add(struct libscols_table *table, struct libscols_line *above,
                                    const struct gpm_choice *choice, const struct gpm_rows *rows,
                                    const struct gpm_row *row, const char *location,
                                    const char *note, unsigned style);
/* Nothing but a text in the last column. */
void gpm_table_add_text(struct libscols_table *table, const struct gpm_choice *choice,
                        const char *text);
void gpm_table_print(struct libscols_table *table);

#endif
