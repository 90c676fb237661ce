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

/* What is known of a call path. */
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

/* Whether the column is a sum over records; for any other the rows have to be made first. */
bool gpm_path_rank_can(unsigned column);
void gpm_path_rank_make(struct gpm_path_rank *rank, const struct gpm_profile *profile,
                        enum gpm_figure column);
void gpm_path_rank_free(struct gpm_path_rank *rank);

/* A row of these figures: the column's, at_peak, own_peak_max (1 for any), incl_alloc, incl_freed,
 * incl_net, self_alloc, calls (1 for any), leaked_blocks, failed_calls (1 for any). */
void gpm_path_rank_row(const struct gpm_path_rank *rank, uint32_t node, struct gpm_row *row);
/* Sorts so many of the nodes to the front as an order by the column has them. */
void gpm_path_rank_first(const struct gpm_path_rank *rank, uint32_t *node, uint32_t count,
                         uint32_t most);

#endif
