/* merge.h - the options and the result of `gpumemprof merge`. cmd_merge.c computes the result,
 * merge_print.c and merge_table.c print it. */
#ifndef GPM_TOOLS_MERGE_H
#define GPM_TOOLS_MERGE_H

#include "analysis/conserve.h"
#include "comparison/imbalance.h"
#include "comparison/merged.h"
#include "input/command.h"
#include "rows/columns.h"
#include "support/text.h"

struct gpm_merge_asked {
  struct gpm_input input;
  enum gpm_by by;
  enum gpm_figure sort;
  unsigned by_text;         /* the text column that rows are sorted by; 0: by the figure `sort` */
  struct gpm_choice choice; /* the columns of a table */
  bool by_difference;
  enum gpm_figure figure[GPM_FIGURE_COUNT];
  unsigned figures;
  unsigned sort_number;  /* the figure that rows are sorted by, ... */
  unsigned least_number; /* ... and the one that --min applies to */
  unsigned shown;        /* figures shown; the last may only serve to sort */
};
struct gpm_merge {
  struct gpm_merge_asked asked;
  struct gpm_processes processes;
  struct gpm_job job;
  struct gpm_job_peaks peaks;
  struct gpm_imbalance imbalance;
  struct gpm_paths paths;
  struct gpm_merged merged;
  struct gpm_totals totals;     /* from the ledgers of all captures ... */
  struct gpm_totals sums;       /* ... and from the rows */
  struct gpm_conservation left; /* what --filter left of all ... */
  bool left_is_unknown;         /* ... unless one capture does not tell */
  bool adds_up, has_device;     /* has_device: one capture has the selected device */
  uint32_t *row;                /* numbers of the rows, sorted */
  uint32_t row_count, shown;
  uint32_t hidden;                  /* rows with less than --min */
  struct gpm_small_rows small_rows; /* small variables that a table leaves out */
};

void gpm_merge_print(const struct gpm_merge *merge);
void gpm_merge_print_table(const struct gpm_merge *merge); /* merge_table.c */

/* Returns the word of a text column that rows keep, but for `location` and `line`. */
const char *gpm_merge_word(const struct gpm_merge *merge, uint32_t row, unsigned column);
/* Returns the location of a row. The caller frees it. */
char *gpm_merge_location(const struct gpm_merge *merge, uint32_t row);

#endif
