/* block.c - every allocation, by address, with its size and owner. This file also counts
 * allocations and frees for the options that make one of them fail.
 */
#include "base/errors.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/tree.h"
#include "memory/memory.h"

#include <stdlib.h>

#define MOST_REFUSALS_PRINTED 10

static struct gpm_sim_tree blocks;

/* Memory of the program itself that it registered. It never overlaps a block of the simulated
 * device. */
static struct gpm_sim_tree registered;

int gpm_sim_refuse(const struct gpm_sim_space *space, uint64_t size) {
  static int printed;
  GPM_SIM_LOCKED;
  if (gpm_sim_options()->verbose && printed++ < MOST_REFUSALS_PRINTED)
    gpm_sim_say("out of memory: %llu bytes asked for, %llu of %llu free", (unsigned long long)size,
                (unsigned long long)(space->capacity - space->used),
                (unsigned long long)space->capacity);
  return GPM_SIM_OUT_OF_MEMORY;
}

bool gpm_sim_allocation_fails(void) {
  static uint64_t count;
  const struct gpm_sim_options *options = gpm_sim_options();
  if (!options->fail && !options->fail_every) return false;
  GPM_SIM_LOCKED;
  count++;
  return count == options->fail || (options->fail_every && count % options->fail_every == 0);
}

bool gpm_sim_free_fails(void) {
  static uint64_t count;
  if (!gpm_sim_options()->fail_free) return false;
  GPM_SIM_LOCKED;
  return ++count == gpm_sim_options()->fail_free;
}

struct gpm_sim_block *gpm_sim_block_add(uint64_t address, uint64_t size, enum gpm_sim_kind kind) {
  static uint64_t ids;
  struct gpm_sim_block *block = calloc(1, sizeof *block);
  if (!block) return NULL;
  GPM_SIM_LOCKED;
  block->range.start = address;
  block->range.size = block->requested = size;
  block->kind = kind;
  block->device = -1;
  block->prefetched = -2;
  block->id = ++ids;
  block->context = gpm_sim_context_current();
  if (block->context && block->context->green)
    block->context = gpm_sim_context_primary(block->context->device);
  gpm_sim_tree_insert(kind == GPM_SIM_REGISTERED_MEMORY ? &registered : &blocks, &block->range);
  return block;
}

void gpm_sim_block_drop(struct gpm_sim_block *block) {
  GPM_SIM_LOCKED;
  gpm_sim_tree_remove(block->kind == GPM_SIM_REGISTERED_MEMORY ? &registered : &blocks,
                      &block->range);
  free(block);
}

static struct gpm_sim_space *space_of(enum gpm_sim_kind kind, int device) {
  switch (kind) {
  case GPM_SIM_MANAGED_MEMORY:
    return gpm_sim_managed_space();
  case GPM_SIM_PINNED_MEMORY:
    return gpm_sim_pinned_space();
  default:
    return &gpm_sim_device(device)->space;
  }
}

int gpm_sim_block_allocate(enum gpm_sim_kind kind, uint64_t size, unsigned flags,
                           uint64_t *address) {
  GPM_SIM_LOCKED;
  struct gpm_sim_context *context = gpm_sim_context_current();
  if (!context) return GPM_SIM_INVALID_CONTEXT;
  int forbidden = gpm_sim_capture_check();
  if (forbidden) return forbidden;
  if (!size) {
    *address = 0;
    return GPM_SIM_OK;
  }
  /* Variables do not count as allocations of the program. */
  if (kind != GPM_SIM_STATIC_MEMORY && gpm_sim_allocation_fails()) return GPM_SIM_OUT_OF_MEMORY;
  struct gpm_sim_space *space = space_of(kind, context->device);
  enum gpm_sim_use use = kind == GPM_SIM_ARRAY_MEMORY ? GPM_SIM_TILED : GPM_SIM_LINEAR;
  uint64_t start = gpm_sim_space_allocate(space, size, use);
  if (!start) {
    gpm_sim_space_reclaim(space); /* pools give back what they do not use */
    start = gpm_sim_space_allocate(space, size, use);
  }
  if (!start) return gpm_sim_refuse(space, size);
  struct gpm_sim_block *block = gpm_sim_block_add(start, size, kind);
  if (!block) {
    gpm_sim_space_free(space, start, size, use);
    return GPM_SIM_OUT_OF_MEMORY;
  }
  block->device = kind == GPM_SIM_PINNED_MEMORY ? -1 : context->device;
  block->flags = flags;
  block->backing = space->backing;
  *address = start;
  return GPM_SIM_OK;
}

void gpm_sim_block_release(struct gpm_sim_block *block) {
  GPM_SIM_LOCKED;
  if (block->give_back) {
    block->give_back(block);
  } else {
    enum gpm_sim_use use = block->kind == GPM_SIM_ARRAY_MEMORY ? GPM_SIM_TILED : GPM_SIM_LINEAR;
    gpm_sim_space_free(space_of(block->kind, block->device), block->range.start, block->range.size,
                       use);
  }
  gpm_sim_block_drop(block);
}

int gpm_sim_block_free(uint64_t address, unsigned kinds) {
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = gpm_sim_block_find(address);
  if (!block || block->range.start != address || !(kinds & GPM_SIM_KIND_BIT(block->kind)))
    return GPM_SIM_INVALID_VALUE;
  bool ordered = block->kind == GPM_SIM_POOL_MEMORY || block->kind == GPM_SIM_GRAPH_MEMORY;
  int forbidden = ordered ? GPM_SIM_OK : gpm_sim_capture_check();
  if (forbidden) return forbidden;
  if (gpm_sim_free_fails()) return GPM_SIM_INVALID_VALUE;
  gpm_sim_block_release(block);
  return GPM_SIM_OK;
}

int gpm_sim_block_register(uint64_t address, uint64_t size, unsigned flags) {
  GPM_SIM_LOCKED;
  if (!address || !size || address + size < address) return GPM_SIM_INVALID_VALUE;
  struct gpm_sim_range *next = gpm_sim_tree_next(&registered, address);
  if (gpm_sim_address_is_ours(address)) return GPM_SIM_INVALID_VALUE;
  if (gpm_sim_tree_find(&registered, address) || (next && next->start < address + size))
    return GPM_SIM_ALREADY_REGISTERED;
  struct gpm_sim_block *block = gpm_sim_block_add(address, size, GPM_SIM_REGISTERED_MEMORY);
  if (!block) return GPM_SIM_OUT_OF_MEMORY;
  block->flags = flags;
  return GPM_SIM_OK;
}

int gpm_sim_block_unregister(uint64_t address) {
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = (struct gpm_sim_block *)gpm_sim_tree_find(&registered, address);
  if (!block || block->range.start != address) return GPM_SIM_NOT_REGISTERED;
  gpm_sim_block_drop(block);
  return GPM_SIM_OK;
}

struct gpm_sim_block *gpm_sim_block_find(uint64_t address) {
  GPM_SIM_LOCKED;
  struct gpm_sim_range *range = gpm_sim_tree_find(&blocks, address);
  if (!range) range = gpm_sim_tree_find(&registered, address);
  return (struct gpm_sim_block *)range;
}

/* Memory of pools and handles may be that of the host, or managed. */
enum gpm_sim_place gpm_sim_block_place(const struct gpm_sim_block *block) {
  if (block->kind == GPM_SIM_MANAGED_MEMORY) return GPM_SIM_IN_BOTH;
  if (block->pool && block->pool->space == gpm_sim_managed_space()) return GPM_SIM_IN_BOTH;
  return block->device < 0 ? GPM_SIM_IN_HOST : GPM_SIM_IN_DEVICE;
}

/* The kinds of blocks that end with their context. Mapped blocks stay until cuMemUnmap, arrays end
 * with their handles, and memory of pools and graphs belongs to the device. */
#define OF_A_CONTEXT                                                                               \
  (GPM_SIM_KIND_BIT(GPM_SIM_DEVICE_MEMORY) | GPM_SIM_KIND_BIT(GPM_SIM_MANAGED_MEMORY) |            \
   GPM_SIM_KIND_BIT(GPM_SIM_PINNED_MEMORY) | GPM_SIM_KIND_BIT(GPM_SIM_STATIC_MEMORY) |             \
   GPM_SIM_KIND_BIT(GPM_SIM_IMPORTED_MEMORY) | GPM_SIM_KIND_BIT(GPM_SIM_IPC_MEMORY))

void gpm_sim_block_free_all(struct gpm_sim_context *context) {
  GPM_SIM_LOCKED;
  struct gpm_sim_tree *trees[] = {&blocks, &registered};
  for (int i = 0; i < 2; i++) {
    uint64_t from = 0;
    struct gpm_sim_block *block;
    while ((block = (struct gpm_sim_block *)gpm_sim_tree_next(trees[i], from))) {
      from = block->range.start + 1;
      if (block->context != context) continue;
      if (block->kind == GPM_SIM_REGISTERED_MEMORY) gpm_sim_block_drop(block);
      else if (OF_A_CONTEXT & GPM_SIM_KIND_BIT(block->kind)) gpm_sim_block_release(block);
      else block->context = NULL;
    }
  }
}
