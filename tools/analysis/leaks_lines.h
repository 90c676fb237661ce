/* leaks_lines.h - leaks by line: call paths that allocate on the same line are one entry with their
 * sum. For `gpumemprof leaks`; the page does the same in leak_lines.js. */
#ifndef GPM_TOOLS_LEAKS_LINES_H
#define GPM_TOOLS_LEAKS_LINES_H

#include "rows/rows.h"

struct gpm_leaks_line {
  char *headline;         /* "main.c:10 main  float *x = n * 4" */
  uint32_t first, count;  /* its call paths, in gpm_leaks_lines.row */
  uint64_t bytes, blocks; /* their sums */
};
struct gpm_leaks_lines {
  struct gpm_leaks_line *line; /* the largest first */
  uint32_t count;
  uint32_t *row; /* indices of rows by path, grouped by line, the largest first */
};

/* Returns the headline of a row by path, "main.c:10 main  float *x = n * 4"; the caller frees it.
 */
char *gpm_leaks_headline(const struct gpm_rows *rows, const struct gpm_row *row);
/* Groups the first `count` rows, which are by path; the largest line comes first. */
void gpm_leaks_lines_make(struct gpm_leaks_lines *lines, const struct gpm_rows *rows,
                          uint32_t count);
/* Sorts the lines with the most blocks first. */
void gpm_leaks_lines_sort_by_blocks(struct gpm_leaks_lines *lines);
/* Sorts the lines as their first rows are. */
void gpm_leaks_lines_sort_as_rows(struct gpm_leaks_lines *lines);
/* Removes the lines with fewer bytes than `least`; returns how many. */
uint32_t gpm_leaks_lines_hide(struct gpm_leaks_lines *lines, uint64_t least);
void gpm_leaks_lines_free(struct gpm_leaks_lines *lines);

#endif
