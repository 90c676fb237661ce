/* leaks_lines.h - leaks by line: call paths that allocated at one place are one entry with their
 * sum. For `gpumemprof leaks`; the page does the same by leak_lines.js. */
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
  uint32_t *row; /* numbers of rows by path: line by line, the largest first */
};

/* Of the first `count` rows, by path, the largest first. */
void gpm_leaks_lines_make(struct gpm_leaks_lines *lines, const struct gpm_rows *rows,
                          uint32_t count);
void gpm_leaks_lines_free(struct gpm_leaks_lines *lines);
/* The first `most` lines; of each a few call paths, or all. Returns the bytes of the others. */
uint64_t gpm_leaks_lines_print(const struct gpm_leaks_lines *lines, const struct gpm_rows *rows,
                               uint32_t most, bool all, unsigned style);

#endif
