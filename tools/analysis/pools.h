/* pools.h - what pools hold, use, and waste in holes: for `gpumemprof pools` and the page.
 *
 * There is one row for each pool of the program (custom_pools.c of the runtime) and each of CUDA's
 * (stream_pools.c): of stream-ordered memory, and the memory that it keeps for graphs. JSON has all
 * figures of a row, the table some of them. CUDA does not report all of them.
 */
#ifndef GPM_TOOLS_POOLS_H
#define GPM_TOOLS_POOLS_H

#include "model/profile.h"

enum gpm_pool_figure {
  GPM_POOL_USED,
  GPM_POOL_RESERVED,
  GPM_POOL_SLACK,
  GPM_POOL_HOLE,
  GPM_POOL_USED_PEAK,
  GPM_POOL_RESERVED_PEAK,
  GPM_POOL_PEAK_FREE,
  GPM_POOL_PEAK_HOLE,
  GPM_POOL_PIECES,
  GPM_POOL_ALL_PIECES,
  GPM_POOL_SEGMENTS,
  GPM_POOL_ALL_SEGMENTS,
  GPM_POOL_OUTSIDE,
  GPM_POOL_GROWTHS,
  GPM_POOL_FRAGMENTED,
  GPM_POOL_PASSED_OVER,
  GPM_POOL_GROWTH_NEED,
  GPM_POOL_GROWTH_FREE,
  GPM_POOL_GROWTH_HOLE,
  GPM_POOL_FIGURES
};
struct gpm_pool_column {
  const char *key;   /* name in JSON */
  const char *title; /* title in the table, or null */
  bool bytes;
};
extern const struct gpm_pool_column gpm_pools_columns[GPM_POOL_FIGURES];

struct gpm_pool {
  char *name, *device;
  uint32_t device_number;  /* the device in its record; GPUMEMPROF_NONE: not known */
  uint64_t handle, number; /* those of its record; CUDA's pools come after the program's */
  bool several_devices;
  const char *source; /* "custom" or "cuda" */
  uint64_t known;     /* bit f: value[f] is known */
  uint64_t value[GPM_POOL_FIGURES];
};
struct gpm_pools {
  struct gpm_pool *pool; /* the largest first */
  uint32_t count;
};

void gpm_pools_make(struct gpm_pools *pools, const struct gpm_reader *reader,
                    const struct gpm_filter *filter);
void gpm_pools_free(struct gpm_pools *pools);
static inline bool gpm_pool_knows(const struct gpm_pool *pool, unsigned figure) {
  return pool->known >> figure & 1;
}

#endif
