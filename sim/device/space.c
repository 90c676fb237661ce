/* space.c - a range of addresses like a device's, the bytes behind it, and how memory is taken from
 * it: in segments of the granularity. Blocks that are smaller share segments.
 *
 *   addresses   |  segment  |  segment, shared by small blocks  |      free      |
 *   bytes       |   ....    |   at the same offset, in another mapping           |
 *
 * The host commits no memory before a copy or fill touches it.
 */
#include "base/extents.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/tree.h"
#include "device/device.h"

#include <sys/mman.h>

uint64_t gpm_sim_round_up(uint64_t value, uint64_t multiple) {
  uint64_t rest = value % multiple;
  if (!rest) return value;
  if (value > UINT64_MAX - multiple) return 0;
  return value - rest + multiple;
}

/* Reserves addresses at a multiple of the granularity; 0: the host refuses. */
static uint64_t reserve(uint64_t size, int protection) {
  uint64_t alignment = gpm_sim_options()->granularity;
  void *at =
      mmap(NULL, size + alignment, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return 0;
  madvise(at, size + alignment, MADV_DONTDUMP);
  return gpm_sim_round_up((uintptr_t)at, alignment);
}

bool gpm_sim_space_open(struct gpm_sim_space *space, uint64_t capacity, uint64_t size,
                        enum gpm_sim_backing backing) {
  uint64_t granularity = gpm_sim_options()->granularity;
  uint64_t base = 0, bytes = 0;
  size -= size % granularity;
  /* If the address space is limited, the space gets smaller. */
  for (; size >= granularity; size = size / 2 - size / 2 % granularity) {
    base = reserve(size, backing == GPM_SIM_SAME ? PROT_READ | PROT_WRITE : PROT_NONE);
    bytes = backing == GPM_SIM_ELSEWHERE ? reserve(size, PROT_READ | PROT_WRITE) : base;
    if (base && bytes) break;
    if (base) munmap((void *)(uintptr_t)base, size);
    base = 0; /* the few bytes that alignment cut off stay reserved */
  }
  if (!base) return false;
  space->base = base;
  space->size = size;
  space->backing = (int64_t)(bytes - base);
  space->capacity = capacity;
  gpm_sim_extents_give(&space->free, base, size);
  return true;
}

static void (*give_back_unused)(struct gpm_sim_space *space);

void gpm_sim_space_on_full(void (*give_back)(struct gpm_sim_space *space)) {
  GPM_SIM_LOCKED;
  give_back_unused = give_back;
}

void gpm_sim_space_reclaim(struct gpm_sim_space *space) {
  GPM_SIM_LOCKED;
  if (give_back_unused) give_back_unused(space);
}

bool gpm_sim_space_charge(struct gpm_sim_space *space, uint64_t size) {
  GPM_SIM_LOCKED;
  if (size > space->capacity - space->used) gpm_sim_space_reclaim(space);
  if (size > space->capacity - space->used) return false;
  space->used += size;
  if (space->used > space->highest) space->highest = space->used;
  return true;
}

uint64_t gpm_sim_space_segment_at(struct gpm_sim_space *space, uint64_t at, uint64_t size) {
  size = gpm_sim_round_up(size, gpm_sim_options()->granularity);
  if (!size || size > space->capacity - space->used) return 0;
  if (!at) at = gpm_sim_extents_take(&space->free, size);
  else if (!gpm_sim_extents_carve(&space->free, at, size)) at = 0;
  if (at) space->used += size;
  if (space->used > space->highest) space->highest = space->used;
  return at;
}

uint64_t gpm_sim_space_segment(struct gpm_sim_space *space, uint64_t size) {
  return gpm_sim_space_segment_at(space, 0, size);
}

bool gpm_sim_space_is_free(const struct gpm_sim_space *space, uint64_t start, uint64_t size) {
  struct gpm_sim_range *r = gpm_sim_tree_find(&space->free, start);
  return r && r->start + r->size - start >= size;
}

void gpm_sim_space_release(struct gpm_sim_space *space, uint64_t start, uint64_t size) {
  size = gpm_sim_round_up(size, gpm_sim_options()->granularity);
  madvise((void *)(uintptr_t)(start + (uint64_t)space->backing), size, MADV_DONTNEED);
  gpm_sim_extents_give(&space->free, start, size);
  space->used -= size;
}

/* A block stays inside its segment, so free room does not join across two. */
uint64_t gpm_sim_space_allocate(struct gpm_sim_space *space, uint64_t size, enum gpm_sim_use use) {
  uint64_t granularity = gpm_sim_options()->granularity;
  if (size >= granularity) return gpm_sim_space_segment(space, size);
  size = gpm_sim_round_up(size, GPM_SIM_ALIGNMENT);
  uint64_t start = gpm_sim_extents_take(&space->shared[use], size);
  if (start) return start;
  uint64_t segment = gpm_sim_space_segment(space, granularity);
  if (!segment) return 0;
  gpm_sim_extents_give_in(&space->shared[use], segment, granularity, granularity);
  gpm_sim_extents_carve(&space->shared[use], segment, size);
  return segment;
}

void gpm_sim_space_free(struct gpm_sim_space *space, uint64_t start, uint64_t size,
                        enum gpm_sim_use use) {
  uint64_t granularity = gpm_sim_options()->granularity;
  if (size >= granularity) {
    gpm_sim_space_release(space, start, size);
    return;
  }
  size = gpm_sim_round_up(size, GPM_SIM_ALIGNMENT);
  struct gpm_sim_range *room =
      gpm_sim_extents_give_in(&space->shared[use], start, size, granularity);
  if (room->size < granularity) return;
  /* The last block of the segment is gone. */
  uint64_t segment = room->start;
  gpm_sim_extents_carve(&space->shared[use], segment, granularity);
  gpm_sim_space_release(space, segment, granularity);
}
