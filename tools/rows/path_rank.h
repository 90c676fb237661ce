/* path_rank.h - finds the call paths that come first in a report, from sums of a few bytes each.
 *
 * A row has some fifty figures, and a program may have a million call paths. So `report --by path`
 * and `leaks` first find out here which of them are shown, and make rows (gpm_rows_make_paths) only
 * for those. Figures, order and the choice of what counts as a row are the same as in rows.h and
 * order.h.
 */
#ifndef GPM_TOOLS_PATH_RANK_H
#define GPM_TOOLS_PATH_RANK_H

#include "rows/rows.h"

/* The sums of a call path. */
struct gpm_path_sums {
  uint64_t at_peak, incl_alloc, incl_freed, self_alloc, leaked_blocks;
  uint64_t value;                 /* of the column that paths are ranked by */
  uint8_t called, peaked, failed; /* these figures are not 0: calls, own_peak_max, failed_calls */
};

struct gpm_path_rank {
  const struct gpm_profile *profile;
  enum gpm_figure column;
  uint64_t known;             /* as gpm_row.known */
  struct gpm_path_sums *sums; /* by node */
};

/* Returns whether the column is a sum over records. For any other column the rows have to be made
 * first. */
bool gpm_path_rank_can(unsigned column);
void gpm_path_rank_make(struct gpm_path_rank *rank, const struct gpm_profile *profile,
                        enum gpm_figure column);
void gpm_path_rank_free(struct gpm_path_rank *rank);

/* Fills a row with these figures: the column's, at_peak, own_peak_max, incl_alloc, incl_freed,
 * incl_net, self_alloc, calls, leaked_blocks, failed_calls. Of own_peak_max, calls and failed_calls
 * it is only known whether they are 0, so other values are 1. */
void gpm_path_rank_row(const struct gpm_path_rank *rank, uint32_t node, struct gpm_row *row);
/* Sorts the first `most` of the nodes to the front, in the order by the column. */
void gpm_path_rank_first(const struct gpm_path_rank *rank, uint32_t *node, uint32_t count,
                         uint32_t most);

#endif
