/* diff.h - what `gpumemprof diff` was asked and found: cmd_diff.c computes it, diff_print.c prints
 * it. */
#ifndef GPM_TOOLS_DIFF_H
#define GPM_TOOLS_DIFF_H

#include "columns.h"
#include "command.h"
#include "compare.h"
#include "text.h"
#include "tolerance.h"

struct gpm_diff {
  struct gpm_input input[2];
  enum gpm_by by;
  enum gpm_figure sort;
  bool limited, has_threshold;
  uint32_t limit; /* 0: all */
  struct gpm_tolerance threshold;
  const char *columns; /* as given, or null */
  enum gpm_figure figure[GPM_FIGURE_COUNT];
  unsigned figure_count;

  struct gpm_side side[2];
  struct gpm_comparison comparison;
  struct gpm_totals totals[2], sums;
  bool adds_up;
  struct gpm_matched *row; /* those wanted, in order */
  uint32_t row_count, shown;
};

void gpm_diff_print(const struct gpm_diff *diff);
/* A text column of a pair: as it is after, or was before; to be freed. */
char *gpm_diff_text(const struct gpm_comparison *comparison, const struct gpm_matched *pair,
                    unsigned column);

#endif
