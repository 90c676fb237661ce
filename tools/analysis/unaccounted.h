/* unaccounted.h - changes of free memory that no recorded event explains, at the lines whose calls
 * into libraries they came with (option unaccounted=calls). */
#ifndef GPM_TOOLS_UNACCOUNTED_H
#define GPM_TOOLS_UNACCOUNTED_H

#include "model/profile.h"

struct gpm_unaccounted {
  uint32_t node; /* one of the line's */
  uint32_t device;
  uint64_t calls;
  int64_t bytes, largest;
};
/* Those of each line, callee and device, the largest first; to be freed. */
struct gpm_unaccounted *gpm_unaccounted_find(const struct gpm_profile *profile, size_t *count);

#endif
