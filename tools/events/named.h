/* named.h - blocks that got a label after their allocation (capture_events.h: NAMED): the history
 * has such an allocation under the cell that it had first.
 */
#ifndef GPM_TOOLS_NAMED_H
#define GPM_TOOLS_NAMED_H

#include "capture/reader.h"

struct gpm_named {
  struct gpumemprof_capture_named *records; /* by clock */
  size_t count;
};
void gpm_named_begin(struct gpm_named *named, const struct gpm_reader *reader);
/* The cell of the allocation at that clock, which the history says to be of `cell`. */
uint32_t gpm_named_cell(const struct gpm_named *named, uint64_t clock, uint32_t cell);
void gpm_named_end(struct gpm_named *named);

#endif
