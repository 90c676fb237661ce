/* csv.h - lists of JSON objects as CSV: --format csv of commands that print their rows by json.h.
 *
 *   {"a": 1, "b": {"c": "x"}, "d": [..]}   ->   a,b.c,d
 *                                               1,x,"[..]"
 *
 * A column is a name, or the names of objects inside each other; lists stand as JSON, null as
 * nothing. Columns are those of all items, in the order in which they first appear, so items are
 * kept until the list ends, unless the columns were said before.
 */
#ifndef GPM_TOOLS_CSV_H
#define GPM_TOOLS_CSV_H

#include <jansson.h>
#include <stdbool.h>

/* A field of CSV, quoted if it has to be; before a text that a spreadsheet would take for a formula
 * stands an apostrophe. */
void gpm_csv_print_text(const char *text);
/* "a,b.c", ending with a null: what the items of the next list may have. Prints the line of names.
 */
void gpm_csv_columns(const char *const *names);
void gpm_csv_item(json_t *item); /* takes it */
/* The list is complete. */
void gpm_csv_end(void);

#endif
