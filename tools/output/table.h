/* table.h - prints tables and trees on a terminal or to a file, with libsmartcols. */
#ifndef GPM_TOOLS_TABLE_H
#define GPM_TOOLS_TABLE_H

#include "rows/columns.h"

struct libscols_table;
struct libscols_line;

/* Returns a table without columns, to which the caller adds columns and lines. A column with
 * `number` is aligned to the right. */
struct libscols_table *gpm_table_empty(void);
void gpm_table_column(struct libscols_table *table, const char *title, bool number, bool last);
/* Ends the tool after a message that memory ran out. */
_Noreturn void gpm_table_failed(void);

/* Returns a table with the chosen columns. The last one should have the longest text. With `tree`
 * it shows the branches. */
struct libscols_table *gpm_table_new(const struct gpm_choice *choice, bool tree);
/* Adds a row. `location` replaces the row's own location, or the text of the last column if
 * location is not a column; `note` is appended to the location. Both may be null. */
struct libscols_line *gpm_table_add(struct libscols_table *table, struct libscols_line *above,
                                    const struct gpm_choice *choice, const struct gpm_rows *rows,
                                    const struct gpm_row *row, const char *location,
                                    const char *note, unsigned style);
/* Adds a line with only a text, in the last column. */
void gpm_table_add_text(struct libscols_table *table, const struct gpm_choice *choice,
                        const char *text);
void gpm_table_print(struct libscols_table *table);
/* Prints it with the texts of the last column cut to what the terminal has room for (fit.h). They
 * begin with the names of files. */
void gpm_table_print_fitted(struct libscols_table *table);
/* Prints the empty line above a table. Each size has its own unit; with --bytes, a line says that
 * they have none. */
void gpm_table_print_unit(bool exact);
/* Prints "... and 3 more rows (--limit 0 shows all)" below a table that shows `shown` of `all`, or
 * nothing if it shows all. `what`: "row". */
void gpm_table_print_more(uint32_t all, uint32_t shown, const char *what);

#endif
