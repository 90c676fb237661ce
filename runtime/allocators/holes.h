/* holes.h - the free ranges of an allocator's segments. */
#ifndef GPM_HOLES_H
#define GPM_HOLES_H

#include "tables/ranges.h"

#include <stdbool.h>

struct gpm_holes {
  struct gpm_range *tree; /* no two holes of one segment are adjacent */
  uint64_t bytes;         /* the sum over all holes */
};

/* A range of a segment becomes free: a whole new segment, or the range of a piece that ended.
 * Returns false when there is no memory. */
bool gpm_holes_give(struct gpm_holes *holes, uint64_t start, uint64_t bytes, uint64_t segment_start,
                    uint64_t segment_end);
/* A range is handed out. Returns false, and changes nothing, when part of it is not free or there
 * is no memory. */
bool gpm_holes_take(struct gpm_holes *holes, uint64_t start, uint64_t bytes);
static inline bool gpm_holes_has(const struct gpm_holes *holes, uint64_t start, uint64_t bytes) {
  const struct gpm_range *hole = gpm_ranges_holding(holes->tree, start);
  return hole && bytes && hole->bytes - (start - hole->start) >= bytes;
}
/* A segment ends, and its holes with it. */
void gpm_holes_drop(struct gpm_holes *holes, uint64_t start, uint64_t bytes);
static inline uint64_t gpm_holes_largest(const struct gpm_holes *holes) {
  return gpm_ranges_longest(holes->tree);
}

/* Records for ranges, also for the other trees in custom_pools.c. The caller holds
 * gpm_custom_lock. */
void *gpm_holes_spare(void); /* GPM_SPARE_BYTES, zeroed; null: no memory */
void gpm_holes_spared(void *spare);
void gpm_holes_forked(void);
#define GPM_SPARE_BYTES 128u

#endif /* GPM_HOLES_H */
