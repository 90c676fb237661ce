/* unaccounted.h - changes of free memory that no recorded event explains, by the line whose call
 * into a library they came with (option unaccounted=calls). */
#ifndef GPM_TOOLS_UNACCOUNTED_H
#define GPM_TOOLS_UNACCOUNTED_H

#include "model/profile.h"

struct gpm_unaccounted {
  uint32_t node; /* one of the nodes of the line */
  uint32_t device;
  uint64_t calls;
  int64_t bytes, largest;
};
/* Returns the sums by line, callee and device, the largest first; the caller frees the array. */
struct gpm_unaccounted *gpm_unaccounted_find(const struct gpm_profile *profile, size_t *count);

#endif
