/* bounds.h - how low the peak of a device could be, whatever is changed: `gpumemprof advise
 * --bounds`. docs/ACCOUNTING.md defines the figures. */
#ifndef GPM_TOOLS_BOUNDS_H
#define GPM_TOOLS_BOUNDS_H

#include "advice/packing.h"
#include "uses/uses.h"

struct gpm_bounds {
  uint64_t peak;
  uint64_t ideal;              /* if each block lived from its first use to its last */
  uint64_t fills_moved;        /* from the first use that is no fill */
  uint64_t working_set;        /* the most that one operation certainly uses */
  struct gpm_packing run;      /* of the blocks as they lived */
  struct gpm_packing at_ideal; /* as for `ideal` */
};

struct gpm_bounds gpm_bounds_find(const struct gpm_uses *uses, uint32_t device);
/* not_decided.c: returns by how much lower than `ideal` the same peak may be in truth, because it
 * is not known what uses some blocks, and when; 0 where all is known. */
uint64_t gpm_bounds_not_decided(const struct gpm_uses *uses, uint32_t device);

#endif
