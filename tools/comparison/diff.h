/* diff.h - the differences of two captures as rows: the request and its result. For `gpumemprof
 * diff` (print/diff_print.h), and for a page with a second capture. */
#ifndef GPM_TOOLS_DIFF_H
#define GPM_TOOLS_DIFF_H

#include "analysis/small_variables.h"
#include "comparison/compare.h"
#include "rows/columns.h"
#include "support/text.h"
#include "support/tolerance.h"

struct gpm_diff {
  bool is_table; /* leave out unchanged rows, and small variables */
  bool has_all;  /* a table, with small variables all the same */
  uint32_t most; /* maximum number of rows; 0: all */
  enum gpm_by by;
  enum gpm_figure sort;
  unsigned by_text;         /* the text column that rows are sorted by; 0: by the figure `sort` */
  struct gpm_choice choice; /* the columns of a table */
  bool has_threshold;
  struct gpm_tolerance threshold;
  enum gpm_figure figure[GPM_FIGURE_COUNT];
  unsigned figure_count;

  struct gpm_side side[2];
  struct gpm_comparison comparison;
  struct gpm_totals totals[2], sums;
  bool adds_up;
  struct gpm_matched *row; /* the rows of the result, in order */
  uint32_t row_count, shown;
  uint64_t least;           /* rows with less than this on both sides are hidden; 0: none ... */
  enum gpm_figure least_of; /* ... by this figure */
  uint32_t hidden;          /* number of rows that were hidden by it */
  struct gpm_small_rows
      small_rows; /* small variables of either capture that a table leaves out ... */
  uint64_t small_variables_bytes[2]; /* ... and their bytes in each capture */
};

/* Requests all figures but those of lifetimes, as for JSON. */
void gpm_diff_take_all(struct gpm_diff *diff);
/* Computes the result; the caller has set the request and both sides. */
void gpm_diff_make(struct gpm_diff *diff);
void gpm_diff_free(struct gpm_diff *diff); /* does not free the sides */

enum gpm_status gpm_diff_status(const struct gpm_diff *diff, const struct gpm_matched *pair);
/* True if that side has a row, and the figure applies to it. */
bool gpm_diff_knows(const struct gpm_diff *diff, const struct gpm_matched *pair, unsigned side,
                    enum gpm_figure figure);
/* Returns the side whose names are shown for a pair: after, if it has a row. */
static inline unsigned gpm_diff_side(const struct gpm_matched *pair) {
  return pair->row[1] == GPUMEMPROF_NONE ? 0 : 1;
}
/* Returns a text column of a pair, from the capture after if it has the row; the caller frees it.
 */
char *gpm_diff_text(const struct gpm_comparison *comparison, const struct gpm_matched *pair,
                    unsigned column);

#endif
