/* custom_pools.h - the pools, segments and pieces of the program's own allocators. */
#ifndef GPM_CUSTOM_POOLS_H
#define GPM_CUSTOM_POOLS_H

#include "allocators/holes.h"
#include "base/lock.h"
#include "records/blocks.h"

#include "gpumemprof/capture.h"

#include <stdatomic.h>

struct gpm_device;

/* An entry of a table by address; several may have the same address. */
struct gpm_address_entry {
  uint64_t address;
  struct gpm_address_entry *next;
};

/* Memory from the device (or another allocator) in which a pool has, or had, pieces. */
struct gpm_segment {
  struct gpm_range range; /* in pool->segments */
  struct gpm_address_entry entry;
  struct gpumemprof_pool *pool;
  struct gpm_block *block; /* the segment is live while this block has this clock */
  uint64_t clock;
};

/* What a pool handed out. */
struct gpm_piece {
  struct gpm_range range; /* in pool->pieces */
  struct gpm_address_entry entry;
  struct gpm_block block; /* the same piece, as the ledger counts it */
  struct gpumemprof_pool *pool;
  struct gpm_segment *segment; /* null: the piece does not lie in one as a whole */
};
_Static_assert(sizeof(struct gpm_piece) <= GPM_SPARE_BYTES, "a piece is a spare record");
_Static_assert(sizeof(struct gpm_segment) <= GPM_SPARE_BYTES, "a segment is a spare record");

struct gpumemprof_pool {
  struct gpumemprof_capture_custom_pool *record;
  const void *handle; /* the allocator's object, or null */
  char *name;
  struct gpumemprof_pool *next;  /* with the same hash of handle and name, or the next spare pool;
                                    null for a pool made by a call */
  struct gpumemprof_pool *older; /* list of all pools */
  struct gpm_range *pieces, *segments;
  struct gpm_holes holes;
  uint32_t number, process; /* a pool of a forked child's parent starts empty there */
  bool destroyed;
  bool lumped; /* it came too late for a record of its own, and shares one */
  bool grew;   /* beyond its previous maximum, for the piece being added */
};

extern struct gpm_lock gpm_custom_lock; /* protects all of it; taken before every other lock */

/* The caller of all of these holds the lock. Null and false mean that there was no memory, and that
 * recording has stopped. */
struct gpumemprof_pool *gpm_custom_get(const void *handle,
                                       const char *name); /* created when it is first seen */
struct gpumemprof_pool *gpm_custom_known(const void *handle, const char *name); /* or null */
struct gpumemprof_pool *gpm_custom_make(const void *handle, const char *name);
void gpm_custom_destroyed(struct gpumemprof_pool *pool); /* the pool holds nothing any more */
/* Makes a pool of the parent process usable. */
bool gpm_custom_renew(struct gpumemprof_pool *pool);
/* Returns the pool after the given one, or the first for null; null when there is none. */
struct gpumemprof_pool *gpm_custom_next(const struct gpumemprof_pool *pool);

/* Returns the piece of the pool that starts at the address, or null. */
struct gpm_piece *gpm_custom_find(const struct gpumemprof_pool *pool, uint64_t address);
/* Returns a piece that starts at the address, or null: of a pool with this handle if it is not
 * null, else the latest piece of any pool. */
struct gpm_piece *gpm_custom_find_any(const void *handle, uint64_t address);
struct gpm_piece *gpm_custom_holding(struct gpumemprof_pool *pool, uint64_t address);
/* Returns a piece of the pool that overlaps the range, or null. */
struct gpm_piece *gpm_custom_overlapping(struct gpumemprof_pool *pool, uint64_t address,
                                         uint64_t bytes);
/* Adds a piece; the caller fills its block. */
struct gpm_piece *gpm_custom_add(struct gpumemprof_pool *pool, uint64_t address, uint64_t bytes,
                                 struct gpm_segment *segment);
void gpm_custom_remove(struct gpm_piece *piece);
/* The key that the ledger uses as the piece's address. Pieces of several pools, and the memory
 * they lie in, may start at the same address; the key distinguishes them, also in a replay
 * (capture.h). */
static inline uint64_t gpm_custom_key(const struct gpm_piece *piece) {
  return piece->range.start ^ gpumemprof_piece_key(piece->pool->number);
}

/* Returns the segment that contains the address, or null. It may have been freed, see below. */
struct gpm_segment *gpm_custom_segment(struct gpumemprof_pool *pool, uint64_t address);
static inline bool gpm_custom_is_live(const struct gpm_segment *segment) {
  return atomic_load(&segment->block->cell) && segment->block->clock == segment->clock;
}
/* Returns the segment of any pool that starts at the address, or null. */
struct gpm_segment *gpm_custom_segment_at(uint64_t address);
/* Returns a segment of the pool that overlaps the range, or null. */
struct gpm_segment *gpm_custom_segment_in(struct gpumemprof_pool *pool, uint64_t start,
                                          uint64_t bytes);
/* Adds a segment, for a piece of `need` bytes. device: the number of its record. */
struct gpm_segment *gpm_custom_grow(struct gpumemprof_pool *pool, uint64_t start,
                                    struct gpm_block *block, uint32_t device, uint64_t need);
void gpm_custom_shrink(struct gpm_segment *segment); /* no piece is left in it */

#endif /* GPM_CUSTOM_POOLS_H */
