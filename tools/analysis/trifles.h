/* trifles.h - variables in device memory that fill no page: headers of libraries bring dozens of a
 * byte. Every table for people has one line for them, unless it shows all rows (--limit 0); called
 * by the commands that print rows, and by page_profile.c.
 */
#ifndef GPM_TOOLS_TRIFLES_H
#define GPM_TOOLS_TRIFLES_H

#include "rows/rows.h"

/* Of a row, or of all that were left out. */
struct gpm_trifle {
  uint64_t variables; /* 0: the row is none */
  uint64_t bytes;
};
/* What a table left out. */
struct gpm_trifles {
  struct gpm_trifle sum;
  uint32_t rows;
};

/* By row: what it has where it stands for such variables alone; to be freed. Only rows by line,
 * path, variable and type are ever trifles. */
struct gpm_trifle *gpm_trifles_of_rows(struct gpm_rows *rows);
/* What a site (or NONE) allocated is a variable in device memory, of so many bytes. */
bool gpm_trifles_is(const struct gpm_reader *reader, uint32_t site, uint64_t bytes);

/* One or two of them may stay: a line about them would take as much room. */
bool gpm_trifles_are_many(const struct gpm_trifles *trifles);
void gpm_trifles_add(struct gpm_trifles *to, uint64_t variables, uint64_t bytes);
/* Takes them out of an order of rows if they are many; returns how many rows are left. */
uint32_t gpm_trifles_leave_out(struct gpm_trifles *trifles, const struct gpm_trifle *of_row,
                               uint32_t *row, uint32_t count);

#endif
