/* groups.h - `--group-by A,B`: splits each row of A by B.
 *
 *   solve      self 12      A part has what calls made directly in the row's location did, so the
 *     device         8      parts of a row add up to its self figures. Parts have no inclusive
 *     pinned         4      figures: what is below a row is in the parts of other rows.
 */
#ifndef GPM_TOOLS_GROUPS_H
#define GPM_TOOLS_GROUPS_H

#include "rows/columns.h"

struct gpm_groups {
  struct gpm_rows rows; /* one row for each part; they are named and printed as rows of B */
  uint32_t *part;       /* their numbers, by row of A, and sorted within each row of A */
  uint32_t *first; /* by row of A: the index of its first in `part`; after the last, the number of
                      parts */
};

/* `rows` are those of A. Parts are sorted by the same column, or by its self figure. */
void gpm_groups_make(struct gpm_groups *groups, struct gpm_rows *rows, enum gpm_by second,
                     unsigned sort);
void gpm_groups_free(struct gpm_groups *groups);

#endif
