/* needed.h - what a device needs in any case, whatever is changed about its blocks: line_changes.c
 * asks while it looks at each block.
 */
#ifndef GPM_TOOLS_NEEDED_H
#define GPM_TOOLS_NEEDED_H

#include "uses/uses.h"

struct gpm_needed {
  int64_t at_once;   /* what one operation uses at most: no change makes the peak lower */
  int64_t *unneeded; /* by position: how much more than before is not between first and last use */
};

void gpm_needed_find(struct gpm_needed *needed, const struct gpm_uses *uses, uint32_t device);
/* A block is not needed from a position to before another. */
static inline void gpm_needed_not(struct gpm_needed *needed, const struct gpm_use_block *block,
                                  uint32_t from, uint32_t to) {
  needed->unneeded[from] += (int64_t)block->bytes;
  needed->unneeded[to] -= (int64_t)block->bytes;
}
/* Returns the peak if each block lived where it is needed, and frees the memory. run: the totals.
 */
int64_t gpm_needed_end(struct gpm_needed *needed, const int64_t *run, uint32_t positions);

#endif
