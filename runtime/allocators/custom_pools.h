/* custom_pools.h - what the program's own allocators hold. */
#ifndef GPM_CUSTOM_POOLS_H
#define GPM_CUSTOM_POOLS_H

#include "allocators/holes.h"
#include "base/lock.h"
#include "records/blocks.h"

#include "gpumemprof/capture.h"

#include <stdatomic.h>

struct gpm_device;

/* In a table by address; several may stand at one. */
struct gpm_spot {
  uint64_t address;
  struct gpm_spot *next;
};

/* Memory from the device (or another allocator) in which a pool has, or had, pieces. */
struct gpm_segment {
  struct gpm_range range; /* in pool->segments */
  struct gpm_spot spot;
  struct gpumemprof_pool *pool;
  struct gpm_block *block; /* it is live while the block is that of this clock */
  uint64_t clock;
};

/* What a pool handed out. */
struct gpm_piece {
  struct gpm_range range; /* in pool->pieces */
  struct gpm_spot spot;
  struct gpm_block block; /* as the ledger wants it */
  struct gpumemprof_pool *pool;
  struct gpm_segment *segment; /* null: in none, or not as a whole */
};
_Static_assert(sizeof(struct gpm_piece) <= GPM_SPARE_BYTES, "a piece is a spare record");
_Static_assert(sizeof(struct gpm_segment) <= GPM_SPARE_BYTES, "a segment is a spare record");

struct gpumemprof_pool {
  struct gpumemprof_capture_custom_pool *record;
  const void *handle; /* the allocator's object, or null */
  char *name;
  struct gpumemprof_pool *next;  /* of those with one hash of handle and name; null: made by a call;
                                    or the next  spare one */
  struct gpumemprof_pool *older; /* of all */
  struct gpm_range *pieces, *segments;
  struct gpm_holes holes;
  uint32_t number, process; /* of a forked child's parent: starts anew there */
  bool destroyed;
  bool lumped; /* its record is that of all pools that came too late for one of their own */
  bool grew;   /* to more than ever, for the piece under way */
};

extern struct gpm_lock gpm_custom_lock; /* all of it; before every other lock */

/* All under the lock. Null and false: no memory, and recording has stopped. */
struct gpumemprof_pool *gpm_custom_get(const void *handle,
                                       const char *name); /* made at first sight */
struct gpumemprof_pool *gpm_custom_known(const void *handle, const char *name); /* or null */
struct gpumemprof_pool *gpm_custom_make(const void *handle, const char *name);
void gpm_custom_destroyed(struct gpumemprof_pool *pool); /* it holds nothing */
bool gpm_custom_renew(struct gpumemprof_pool *pool);     /* it may be of this process' parent */
/* The first (of null), or the one behind a pool; null: there is none. */
struct gpumemprof_pool *gpm_custom_next(const struct gpumemprof_pool *pool);

/* The piece of the pool that starts there, or null. */
struct gpm_piece *gpm_custom_find(const struct gpumemprof_pool *pool, uint64_t address);
/* One that starts there: a pool's of that handle (if not null), else the latest of any pool. */
struct gpm_piece *gpm_custom_find_any(const void *handle, uint64_t address);
struct gpm_piece *gpm_custom_holding(struct gpumemprof_pool *pool, uint64_t address);
/* A piece of the pool that has bytes of the range, or null. */
struct gpm_piece *gpm_custom_overlapping(struct gpumemprof_pool *pool, uint64_t address,
                                         uint64_t bytes);
/* Enters it; its block is the caller's to fill. */
struct gpm_piece *gpm_custom_add(struct gpumemprof_pool *pool, uint64_t address, uint64_t bytes,
                                 struct gpm_segment *segment);
void gpm_custom_remove(struct gpm_piece *piece);
/* What the ledger calls its address: pieces of several pools, and the memory they lie in, may start
 * at one. Replays keep them apart by it (capture.h). */
static inline uint64_t gpm_custom_key(const struct gpm_piece *piece) {
  return piece->range.start ^ gpumemprof_piece_key(piece->pool->number);
}

/* The segment that holds the address, or null. It may be gone: */
struct gpm_segment *gpm_custom_segment(struct gpumemprof_pool *pool, uint64_t address);
static inline bool gpm_custom_is_live(const struct gpm_segment *segment) {
  return atomic_load(&segment->block->cell) && segment->block->clock == segment->clock;
}
/* Any pool's that starts there, or null. */
struct gpm_segment *gpm_custom_segment_at(uint64_t address);
/* One of the pool's that has bytes of the range, or null. */
struct gpm_segment *gpm_custom_segment_in(struct gpumemprof_pool *pool, uint64_t start,
                                          uint64_t bytes);
/* A new one, for a piece of `need` bytes. device: record number. */
struct gpm_segment *gpm_custom_grow(struct gpumemprof_pool *pool, uint64_t start,
                                    struct gpm_block *block, uint32_t device, uint64_t need);
void gpm_custom_shrink(struct gpm_segment *segment); /* it holds no piece any more */

#endif /* GPM_CUSTOM_POOLS_H */
