/* store.c - memory that is separate from the addresses at which it is mapped: that of cuMemCreate,
 * of a shared file, and of another process. Several mappings may show the same bytes.
 *
 *   of a device     a segment of the device's space, which is charged for it
 *   of the host     a file in memory, mapped where the program may read and write it
 *   of a process    a segment of a space that belongs to no device and is never full
 */
#include "base/errors.h"
#include "base/extents.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/tree.h"
#include "memory/share.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct gpm_sim_store *make(struct gpm_sim_space *space, int device, uint64_t size) {
  struct gpm_sim_store *store = calloc(1, sizeof *store);
  if (!store) return NULL;
  store->space = space;
  store->device = device;
  store->size = size;
  store->file = -1;
  store->users = 1;
  return store;
}

static int create_host(struct gpm_sim_store *store) {
  store->file = memfd_create("gpumemprof-sim", MFD_CLOEXEC);
  if (store->file >= 0 && ftruncate(store->file, (off_t)store->size) == 0) return GPM_SIM_OK;
  if (store->file >= 0) close(store->file);
  return GPM_SIM_OUT_OF_MEMORY;
}

int gpm_sim_store_create(int device, uint64_t size, struct gpm_sim_store **result) {
  GPM_SIM_LOCKED;
  struct gpm_sim_space *space = device < 0 ? NULL : &gpm_sim_device(device)->space;
  struct gpm_sim_store *store = make(space, device, size);
  if (!store) return GPM_SIM_OUT_OF_MEMORY;
  int error = GPM_SIM_OK;
  if (!space) {
    error = create_host(store);
  } else {
    gpm_sim_share_collect();
    store->segment = gpm_sim_space_segment(space, size);
    if (!store->segment) gpm_sim_space_reclaim(space);
    if (!store->segment) store->segment = gpm_sim_space_segment(space, size);
    if (!store->segment) error = gpm_sim_refuse(space, size);
  }
  if (error) free(store);
  else *result = store;
  return error;
}

struct gpm_sim_store *gpm_sim_store_foreign(int device, uint64_t size) {
  GPM_SIM_LOCKED;
  struct gpm_sim_store *store = make(gpm_sim_foreign_space(), device, size);
  if (store) store->segment = gpm_sim_space_segment(store->space, size);
  if (store && store->segment) return store;
  free(store);
  return NULL;
}

struct gpm_sim_store *gpm_sim_store_borrow(const struct gpm_sim_block *block) {
  GPM_SIM_LOCKED;
  struct gpm_sim_store *store = make(block->pool->space, block->device, block->requested);
  if (!store) return NULL;
  store->segment = block->range.start;
  store->borrowed = true;
  return store;
}

void gpm_sim_store_drop(struct gpm_sim_store *store) {
  GPM_SIM_LOCKED;
  if (--store->users) return;
  if (store->file >= 0) close(store->file);
  else if (!store->borrowed) gpm_sim_space_release(store->space, store->segment, store->size);
  free(store);
}

int64_t gpm_sim_store_show(const struct gpm_sim_store *store, uint64_t offset, uint64_t address,
                           uint64_t size) {
  if (store->file < 0) return (int64_t)(store->segment + offset - address) + store->space->backing;
  mmap((void *)(uintptr_t)address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
       store->file, (off_t)offset);
  return 0;
}

void gpm_sim_store_hide(const struct gpm_sim_store *store, uint64_t address, uint64_t size) {
  if (store->file < 0) return;
  mmap((void *)(uintptr_t)address, size, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static void unmap(struct gpm_sim_block *block) {
  GPM_SIM_LOCKED;
  gpm_sim_store_hide(block->store, block->range.start, block->range.size);
  gpm_sim_extents_give(&gpm_sim_virtual_space()->free, block->range.start, block->range.size);
  gpm_sim_store_drop(block->store);
}

int gpm_sim_store_map(struct gpm_sim_store *store, uint64_t offset, uint64_t size,
                      enum gpm_sim_kind kind, uint64_t *address) {
  GPM_SIM_LOCKED;
  if (!size || offset > store->size || size > store->size - offset) return GPM_SIM_INVALID_VALUE;
  struct gpm_sim_tree *addresses = &gpm_sim_virtual_space()->free;
  uint64_t rounded = gpm_sim_round_up(size, gpm_sim_options()->granularity);
  uint64_t start = gpm_sim_extents_take(addresses, rounded);
  struct gpm_sim_block *block = start ? gpm_sim_block_add(start, rounded, kind) : NULL;
  if (!block) {
    if (start) gpm_sim_extents_give(addresses, start, rounded);
    return GPM_SIM_OUT_OF_MEMORY;
  }
  block->requested = size;
  block->device = store->device;
  block->store = store;
  block->give_back = unmap;
  block->backing = gpm_sim_store_show(store, offset, start, size);
  store->users++;
  *address = start;
  return GPM_SIM_OK;
}
