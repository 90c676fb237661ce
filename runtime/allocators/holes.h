/* holes.h - the free ranges of an allocator's segments. */
#ifndef GPM_HOLES_H
#define GPM_HOLES_H

#include "tables/ranges.h"

#include <stdbool.h>

struct gpm_holes {
  struct gpm_range *tree; /* no two of one segment touch */
  uint64_t bytes;         /* of all of them */
};

/* A range of a segment becomes free: a whole new segment, or what a piece held. False: no memory.
 */
bool gpm_holes_give(struct gpm_holes *holes, uint64_t start, uint64_t bytes, uint64_t segment_start,
                    uint64_t segment_end);
/* A range is handed out. False, and nothing changed: it is not free as a whole, or no memory. */
bool gpm_holes_take(struct gpm_holes *holes, uint64_t start, uint64_t bytes);
static inline bool gpm_holes_has(const struct gpm_holes *holes, uint64_t start, uint64_t bytes) {
  const struct gpm_range *hole = gpm_ranges_holding(holes->tree, start);
  return hole && bytes && hole->bytes - (start - hole->start) >= bytes;
}
/* A segment goes, with whatever is free in it. */
void gpm_holes_drop(struct gpm_holes *holes, uint64_t start, uint64_t bytes);
static inline uint64_t gpm_holes_largest(const struct gpm_holes *holes) {
  return gpm_ranges_longest(holes->tree);
}

/* Records for ranges, also those of other trees in custom_pools.c. Under its lock. */
void *gpm_holes_spare(void); /* GPM_SPARE_BYTES, zeroed; null: no memory */
void gpm_holes_spared(void *spare);
void gpm_holes_forked(void);
#define GPM_SPARE_BYTES 128u

#endif /* GPM_HOLES_H */
