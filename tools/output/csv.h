/* csv.h - lists of JSON objects as CSV: --format csv of commands that print their rows by json.h.
 *
 *   {"a": 1, "b": {"c": "x"}, "d": [..]}   ->   a,b.c,d
 *                                               1,x,"[..]"
 *
 * A column is a name, or the names of objects inside each other; lists stand as JSON, null as
 * nothing. Columns are those that the tables of contract/ have for the object, whatever the rows
 * are, so that the line of names stands before the first row, and also where there is none.
 */
#ifndef GPM_TOOLS_CSV_H
#define GPM_TOOLS_CSV_H

#include <jansson.h>
#include <stdbool.h>

/* Rows that are such objects follow: prints the line of names. `names`, ended by null: the columns
 * or figures that were chosen, where the object has some; else null. Begun already: nothing. */
void gpm_csv_begin(const char *object, const char *const *names);
/* A field of CSV, quoted if it has to be; before a text that a spreadsheet would take for a formula
 * stands an apostrophe. */
void gpm_csv_print_text(const char *text);
void gpm_csv_item(json_t *item); /* takes it */
/* The same value in a cell. */
void gpm_csv_print_cell(const json_t *value);
/* The list is complete. */
void gpm_csv_end(void);

#endif
