/* csv.h - prints lists of JSON objects as CSV: --format csv of commands that print their rows with
 * json.h.
 *
 *   {"a": 1, "b": {"c": "x"}, "d": [..]}   ->   a,b.c,d
 *                                               1,x,"[..]"
 *
 * The name of a column is that of a field, or for nested objects the names joined by dots. Lists
 * are written as JSON, and null as an empty cell. The tables of contract/ define the columns of an
 * object, whatever the rows contain, so that the header precedes the first row and is printed even
 * if there are no rows.
 */
#ifndef GPM_TOOLS_CSV_H
#define GPM_TOOLS_CSV_H

#include <jansson.h>
#include <stdbool.h>

/* Prints the header of rows that are such objects. `names` (ended by null) are the columns or
 * figures that were chosen, or null if the object takes none. Does nothing if a list was begun
 * already. */
void gpm_csv_begin(const char *object, const char *const *names);
/* Prints a cell, quoted if necessary. If a spreadsheet would take the text for a formula, an
 * apostrophe is put before it. */
void gpm_csv_print_text(const char *text);
void gpm_csv_item(json_t *item); /* takes ownership of the item */
/* Prints a JSON value as the cell of a column of that name. A column of percent, whose name or
 * the name of whose object ends in _percent, has two digits behind the point. */
void gpm_csv_print_cell(const char *name, const json_t *value);
/* Ends the list. */
void gpm_csv_end(void);

#endif
