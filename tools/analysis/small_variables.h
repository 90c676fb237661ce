/* small_variables.h - small variables: variables in device memory of less than a page. Headers of
 * libraries bring dozens of one byte each. Every table for people has one line for all of them,
 * unless it shows all rows (--limit 0). Called by the commands that print rows, and by
 * page_profile.c.
 */
#ifndef GPM_TOOLS_SMALL_VARIABLES_H
#define GPM_TOOLS_SMALL_VARIABLES_H

#include "rows/path_rank.h"
#include "rows/rows.h"

/* The small variables of a row, or of all rows that were left out. */
struct gpm_small_variables {
  uint64_t variables; /* 0: the row is not one of small variables only */
  uint64_t bytes;
};
/* The rows that a table left out. */
struct gpm_small_rows {
  struct gpm_small_variables sum;
  uint32_t rows;
};

/* Returns, by row, the small variables of each row that has nothing else; the caller frees the
 * array. Only rows by line, path, variable and type can have only small variables. */
struct gpm_small_variables *gpm_small_variables_of_rows(struct gpm_rows *rows);
/* Does the same by node, for paths that have no rows yet. */
struct gpm_small_variables *gpm_small_variables_of_paths(const struct gpm_path_rank *rank);
/* True if the site (or NONE) is that of a variable in device memory, and `bytes` make it a small
 * one. */
bool gpm_small_variables_is_one(const struct gpm_reader *reader, uint32_t site, uint64_t bytes);

/* False for one or two of them, which stay: a line about them would take as much room. */
bool gpm_small_rows_are_many(const struct gpm_small_rows *small_rows);
void gpm_small_rows_add(struct gpm_small_rows *to, uint64_t variables, uint64_t bytes);
/* Removes them from an order of rows if they are many; returns how many rows are left. */
uint32_t gpm_small_rows_leave_out(struct gpm_small_rows *small_rows,
                                  const struct gpm_small_variables *of_row, uint32_t *row,
                                  uint32_t count);

#endif
