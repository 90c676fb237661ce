/* targets.h - the lowest peak that few changes leave, for those who do not want to make all that
 * would help: the best two, and the best three.
 *
 * A set of changes that does better than each smaller one has one that takes memory away where the
 * peak is, then one that does so where the peak is after that, and so on. Only such sets are tried,
 * so that the search is exact; it is given up if there are too many.
 */
#ifndef GPM_TOOLS_TARGETS_H
#define GPM_TOOLS_TARGETS_H

#include "advice/line_changes.h"

enum { GPM_TARGET_STEPS = 3 };

struct gpm_target {
  uint32_t step[GPM_TARGET_STEPS];
  int64_t peak; /* INT64_MAX: no set of so many does better than a smaller one */
};

/* Fills in the best set of 1 to `most` changes of rounds up to one, by the number of steps less 1.
 * None may be made. Returns false if there are too many to try. */
bool gpm_targets_find(struct gpm_target target[GPM_TARGET_STEPS], struct gpm_line_changes *changes,
                      unsigned round, unsigned most);
/* Whether a change has memory to take away at a position. */
bool gpm_targets_is_at(const struct gpm_line_changes *changes, uint32_t change, uint32_t at);

#endif
