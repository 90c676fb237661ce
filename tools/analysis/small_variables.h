/* small_variables.h - small variables: variables in device memory of less than a page. Headers of
 * libraries bring dozens of one byte each. Every table for people has one line for all of them,
 * unless it shows all rows (--limit 0). Called by the commands that print rows, and by
 * page_profile.c.
 */
#ifndef GPM_TOOLS_TRIFLES_H
#define GPM_TOOLS_TRIFLES_H

#include "rows/rows.h"

/* The small variables of a row, or of all rows that were left out. */
struct gpm_trifle {
  uint64_t variables; /* 0: the row is not one of small variables only */
  uint64_t bytes;
};
/* The rows that a table left out. */
struct gpm_trifles {
  struct gpm_trifle sum;
  uint32_t rows;
};

/* Returns, by row, the small variables of each row that has nothing else; the caller frees the
 * array. Only rows by line, path, variable and type can have only small variables. */
struct gpm_trifle *gpm_trifles_of_rows(struct gpm_rows *rows);
/* True if the site (or NONE) is that of a variable in device memory, and `bytes` make it a small
 * one. */
bool gpm_trifles_is(const struct gpm_reader *reader, uint32_t site, uint64_t bytes);

/* False for one or two of them, which stay: a line about them would take as much room. */
bool gpm_trifles_are_many(const struct gpm_trifles *trifles);
void gpm_trifles_add(struct gpm_trifles *to, uint64_t variables, uint64_t bytes);
/* Removes them from an order of rows if they are many; returns how many rows are left. */
uint32_t gpm_trifles_leave_out(struct gpm_trifles *trifles, const struct gpm_trifle *of_row,
                               uint32_t *row, uint32_t count);

#endif
