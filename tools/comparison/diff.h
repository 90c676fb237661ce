/* diff.h - what two captures differ in, as rows: what was asked and what was found. For `gpumemprof
 * diff` (print/diff_print.h), and for a page with a second capture. */
#ifndef GPM_TOOLS_DIFF_H
#define GPM_TOOLS_DIFF_H

#include "analysis/trifles.h"
#include "comparison/compare.h"
#include "rows/columns.h"
#include "support/text.h"
#include "support/tolerance.h"

struct gpm_diff {
  bool is_table; /* without rows that are as they were, and small variables */
  bool has_all;  /* a table, but with small variables */
  uint32_t most; /* rows that are shown; 0: all */
  enum gpm_by by;
  enum gpm_figure sort;
  bool has_threshold;
  struct gpm_tolerance threshold;
  enum gpm_figure figure[GPM_FIGURE_COUNT];
  unsigned figure_count;

  struct gpm_side side[2];
  struct gpm_comparison comparison;
  struct gpm_totals totals[2], sums;
  bool adds_up;
  struct gpm_matched *row; /* those wanted, in order */
  uint32_t row_count, shown;
  uint64_t least;             /* rows with less than that on both sides are hidden; 0: none ... */
  enum gpm_figure least_of;   /* ... of this figure */
  uint32_t hidden;            /* rows with less, before and after */
  struct gpm_trifles trifles; /* small variables that a table leaves out, in either capture ... */
  uint64_t trifles_bytes[2];  /* ... and what they had in each */
};

/* All figures but those of lifetimes, as JSON has them. */
void gpm_diff_take_all(struct gpm_diff *diff);
/* What was asked and both sides are set. */
void gpm_diff_make(struct gpm_diff *diff);
void gpm_diff_free(struct gpm_diff *diff); /* without the sides */

enum gpm_status gpm_diff_status(const struct gpm_diff *diff, const struct gpm_matched *pair);
/* Whether there is a row, and the figure applies to it. */
bool gpm_diff_knows(const struct gpm_diff *diff, const struct gpm_matched *pair, unsigned side,
                    enum gpm_figure figure);
/* The side whose names stand for a pair: after, if it is there still. */
static inline unsigned gpm_diff_side(const struct gpm_matched *pair) {
  return pair->row[1] == GPUMEMPROF_NONE ? 0 : 1;
}
/* A text column of a pair: as it is after, or was before; to be freed. */
char *gpm_diff_text(const struct gpm_comparison *comparison, const struct gpm_matched *pair,
                    unsigned column);

#endif
