/* pool.c - stream-ordered memory. Pools take segments of 32 MiB from their device, allocate blocks
 * that may cross from one segment into the next, and keep free segments until a synchronisation
 * finds more reserved than the release threshold.
 *
 * All work runs when it is submitted, so a freed block can be reused immediately.
 */
#include "base/errors.h"
#include "base/extents.h"
#include "base/lock.h"
#include "base/object.h"
#include "base/options.h"
#include "base/tree.h"
#include "memory/memory.h"

#include <stdlib.h>

/* All pools, also those whose handle is destroyed but that still have blocks. */
static struct gpm_sim_pool *pools[1024];
static size_t pool_count;

static void forget(void *object) {
  struct gpm_sim_pool *pool = object;
  gpm_sim_pool_trim(pool, 0);
  for (size_t i = 0; i < pool_count; i++)
    if (pools[i] == pool) pools[i] = pools[--pool_count];
}

struct gpm_sim_pool *gpm_sim_pool_create(int device, struct gpm_sim_space *space,
                                         uint64_t maximum) {
  GPM_SIM_LOCKED;
  if (pool_count == sizeof pools / sizeof pools[0]) return NULL;
  struct gpm_sim_pool *pool = gpm_sim_object_create(GPM_SIM_POOL, sizeof *pool, NULL);
  if (!pool) return NULL;
  pool->object.release = forget;
  pool->device = device;
  pool->space = space;
  pool->maximum = maximum ? gpm_sim_round_up(maximum, GPM_SIM_POOL_GROWTH) : 0; /* 0: none */
  for (int i = 0; i < 3; i++) pool->reuse[i] = 1;
  pools[pool_count++] = pool;
  gpm_sim_space_on_full(gpm_sim_pool_trim_all);
  return pool;
}

struct gpm_sim_pool *gpm_sim_pool_get_handle(const void *handle) {
  struct gpm_sim_pool *pool = gpm_sim_object_get(handle, GPM_SIM_POOL);
  return pool && !pool->destroyed ? pool : NULL;
}

struct gpm_sim_pool *gpm_sim_pool_default(int device) {
  GPM_SIM_LOCKED;
  struct gpm_sim_device *d = gpm_sim_device(device);
  if (!d) return NULL;
  if (!d->default_pool) {
    d->default_pool = gpm_sim_pool_create(device, &d->space, 0);
    if (d->default_pool) d->default_pool->is_default = true;
  }
  return d->default_pool;
}

struct gpm_sim_pool *gpm_sim_pool_current(int device) {
  GPM_SIM_LOCKED;
  struct gpm_sim_device *d = gpm_sim_device(device);
  if (!d) return NULL;
  return d->pool ? d->pool : gpm_sim_pool_default(device);
}

void gpm_sim_pool_destroy(struct gpm_sim_pool *pool) {
  GPM_SIM_LOCKED;
  for (int i = 0; i < gpm_sim_device_count(); i++)
    if (gpm_sim_device(i)->pool == pool) gpm_sim_device(i)->pool = NULL;
  if (pool->used) pool->destroyed = true;
  else gpm_sim_object_destroy(pool);
}

/* Adds one segment at the given address or, if that is 0, anywhere. */
static bool add_segment(struct gpm_sim_pool *pool, uint64_t at, uint64_t size) {
  uint64_t start = gpm_sim_space_segment_at(pool->space, at, size);
  struct gpm_sim_range *segment = start ? calloc(1, sizeof *segment) : NULL;
  if (!segment) {
    if (start) gpm_sim_space_release(pool->space, start, size);
    return false;
  }
  segment->start = start;
  segment->size = size;
  gpm_sim_tree_insert(&pool->segments, segment);
  gpm_sim_extents_give(&pool->free, start, size);
  pool->reserved += size;
  if (pool->reserved > pool->reserved_high) pool->reserved_high = pool->reserved;
  pool->end = start + size;
  return true;
}

/* A pool grows at its end, so that free room there can be used. Its first segment is in the middle
 * of the largest free range of addresses, so that there are addresses to grow into. */
static bool grow(struct gpm_sim_pool *pool, uint64_t size) {
  uint64_t unit = gpm_sim_round_up(GPM_SIM_POOL_GROWTH, gpm_sim_options()->granularity);
  if (!pool->space->free.root) return false;
  if (!pool->reserved) {
    struct gpm_sim_range *r = gpm_sim_tree_fit(&pool->space->free, pool->space->free.root->largest);
    pool->home = pool->end = gpm_sim_round_up(r->start + r->size / 2, unit);
  }
  struct gpm_sim_range *tail = gpm_sim_tree_find(&pool->free, pool->end - 1);
  uint64_t more = gpm_sim_round_up(tail ? size - tail->size : size, unit);
  if (!more || (pool->maximum && more > pool->maximum - pool->reserved)) return false;
  if (more > pool->space->capacity - pool->space->used) gpm_sim_pool_trim_all(pool->space);
  if (more > pool->space->capacity - pool->space->used) return false;
  if (gpm_sim_space_is_free(pool->space, pool->end, more)) {
    for (uint64_t at = 0; at < more; at += unit)
      if (!add_segment(pool, pool->end, unit)) return false;
    return true;
  }
  return add_segment(pool, 0, gpm_sim_round_up(size, unit));
}

static void take_back(struct gpm_sim_block *block) {
  GPM_SIM_LOCKED;
  struct gpm_sim_pool *pool = block->pool;
  gpm_sim_extents_give(&pool->free, block->range.start, block->range.size);
  pool->used -= block->requested;
  pool->blocks--;
  if (pool->destroyed && !pool->blocks) gpm_sim_object_destroy(pool);
}

int gpm_sim_pool_allocate(struct gpm_sim_pool *pool, uint64_t size, uint64_t *address) {
  GPM_SIM_LOCKED;
  if (!size) {
    *address = 0;
    return GPM_SIM_OK;
  }
  if (pool->imported) return GPM_SIM_INVALID_VALUE;
  if (gpm_sim_allocation_fails()) return GPM_SIM_OUT_OF_MEMORY;
  uint64_t rounded = gpm_sim_round_up(size, GPM_SIM_ALIGNMENT);
  if (!rounded) return GPM_SIM_OUT_OF_MEMORY;
  uint64_t start = gpm_sim_extents_take(&pool->free, rounded);
  if (!start && grow(pool, rounded)) start = gpm_sim_extents_take(&pool->free, rounded);
  if (!start) return gpm_sim_refuse(pool->space, size);
  struct gpm_sim_block *block = gpm_sim_block_add(start, rounded, GPM_SIM_POOL_MEMORY);
  if (!block) {
    gpm_sim_extents_give(&pool->free, start, rounded);
    return GPM_SIM_OUT_OF_MEMORY;
  }
  block->requested = size;
  block->device = pool->device;
  block->pool = pool;
  block->give_back = take_back;
  block->backing = pool->space->backing;
  pool->blocks++;
  pool->used += size;
  if (pool->used > pool->used_high) pool->used_high = pool->used;
  *address = start;
  return GPM_SIM_OK;
}

void gpm_sim_pool_trim(struct gpm_sim_pool *pool, uint64_t keep) {
  GPM_SIM_LOCKED;
  uint64_t from = 0;
  struct gpm_sim_range *segment;
  while (pool->reserved > keep && (segment = gpm_sim_tree_next(&pool->segments, from))) {
    from = segment->start + 1;
    if (pool->reserved - segment->size < keep) continue;
    if (!gpm_sim_extents_carve(&pool->free, segment->start, segment->size)) continue;
    gpm_sim_space_release(pool->space, segment->start, segment->size);
    pool->reserved -= segment->size;
    gpm_sim_tree_remove(&pool->segments, segment);
    free(segment);
  }
}

void gpm_sim_pool_trim_all(struct gpm_sim_space *space) {
  GPM_SIM_LOCKED;
  for (size_t i = 0; i < pool_count; i++)
    if (pools[i]->space == space) gpm_sim_pool_trim(pools[i], 0);
}

void gpm_sim_pool_synchronize(void) {
  GPM_SIM_LOCKED;
  for (size_t i = 0; i < pool_count; i++)
    if (pools[i]->reserved > pools[i]->threshold) gpm_sim_pool_trim(pools[i], pools[i]->threshold);
}

int gpm_sim_pool_get(struct gpm_sim_pool *pool, int attribute, void *value) {
  GPM_SIM_LOCKED;
  const uint64_t wide[] = {pool->threshold, pool->reserved, pool->reserved_high, pool->used,
                           pool->used_high};
  if (attribute >= 1 && attribute <= 3) *(int *)value = pool->reuse[attribute - 1];
  else if (attribute >= 4 && attribute <= 8) *(uint64_t *)value = wide[attribute - 4];
  else return GPM_SIM_INVALID_VALUE;
  return GPM_SIM_OK;
}

/* The high-water marks can only be reset, to the current values. */
int gpm_sim_pool_set(struct gpm_sim_pool *pool, int attribute, const void *value) {
  GPM_SIM_LOCKED;
  if (pool->imported) return GPM_SIM_INVALID_VALUE;
  if (attribute >= 1 && attribute <= 3) pool->reuse[attribute - 1] = *(const int *)value;
  else if (attribute == 4) pool->threshold = *(const uint64_t *)value;
  else if (attribute == 6 && *(const uint64_t *)value == 0) pool->reserved_high = pool->reserved;
  else if (attribute == 8 && *(const uint64_t *)value == 0) pool->used_high = pool->used;
  else return GPM_SIM_INVALID_VALUE;
  return GPM_SIM_OK;
}
