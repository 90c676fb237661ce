/* merge.h - what `gpumemprof merge` was asked and found: cmd_merge.c computes it, merge_print.c and
 * merge_table.c print it. */
#ifndef GPM_TOOLS_MERGE_H
#define GPM_TOOLS_MERGE_H

#include "comparison/imbalance.h"
#include "comparison/merged.h"
#include "input/command.h"
#include "rows/columns.h"
#include "support/text.h"

struct gpm_merge_asked {
  struct gpm_input input;
  enum gpm_by by;
  enum gpm_figure sort;
  bool by_difference;
  enum gpm_figure figure[GPM_FIGURE_COUNT];
  unsigned figures;
  unsigned sort_number;  /* which of the figures orders the rows, ... */
  unsigned least_number; /* ... and which --min is of */
  unsigned shown;        /* of the figures: the last may be there to sort by alone */
};
struct gpm_merge {
  struct gpm_merge_asked asked;
  struct gpm_processes processes;
  struct gpm_job job;
  struct gpm_job_peaks peaks;
  struct gpm_imbalance imbalance;
  struct gpm_paths paths;
  struct gpm_merged merged;
  struct gpm_totals totals; /* by the ledgers of all captures ... */
  struct gpm_totals sums;   /* ... and by the rows */
  bool adds_up, has_device; /* one of them has the device asked for */
  uint32_t *row;            /* numbers of rows, in order */
  uint32_t row_count, shown;
  uint32_t hidden;            /* rows with less than --min */
  struct gpm_trifles trifles; /* small variables that a table leaves out */
};

void gpm_merge_print(const struct gpm_merge *merge);
void gpm_merge_print_table(const struct gpm_merge *merge); /* merge_table.c */

/* The location of a row; to be freed. */
char *gpm_merge_place(const struct gpm_merge *merge, uint32_t row);

#endif
