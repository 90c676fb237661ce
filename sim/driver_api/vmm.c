/* vmm.c - virtual memory management: addresses are reserved, memory is created, and memory is
 * mapped at addresses.
 *
 *   cuMemAddressReserve   ──► addresses of the virtual space
 *   cuMemCreate           ──► a store: memory of a device or the host until its last user is gone
 *   cuMemMap              ──► a block at the address that has the bytes of the store
 */
#include "base/extents.h"
#include "base/lock.h"
#include "base/object.h"
#include "base/options.h"
#include "base/tree.h"
#include "driver_api/cudrv.h"

#include <stdlib.h>

static struct gpm_sim_tree reservations;

struct gpm_cudrv_physical *gpm_cudrv_physical_get(CUmemGenericAllocationHandle handle) {
  struct gpm_cudrv_physical *p = gpm_sim_object_get((void *)(uintptr_t)handle, GPM_SIM_PHYSICAL);
  return p && p->handles ? p : NULL;
}

static void release_store(void *object) {
  gpm_sim_store_drop(((struct gpm_cudrv_physical *)object)->store);
}

struct gpm_cudrv_physical *gpm_cudrv_physical_make(struct gpm_sim_store *store,
                                                   const CUmemAllocationProp *properties) {
  struct gpm_cudrv_physical *p = gpm_sim_object_create(GPM_SIM_PHYSICAL, sizeof *p, NULL);
  if (!p) {
    gpm_sim_store_drop(store);
    return NULL;
  }
  p->object.release = release_store;
  p->store = store;
  p->handles = 1;
  p->properties = *properties;
  return p;
}

void gpm_cudrv_physical_check(struct gpm_cudrv_physical *p) {
  if (!p->handles && !p->mappings) gpm_sim_object_destroy(p);
}

/* Devices and the host have memory. The location "this thread's node" is for pools only. */
static CUresult check_location(const CUmemAllocationProp *prop) {
  GPM_CU_REQUIRE(prop->type == CU_MEM_ALLOCATION_TYPE_PINNED);
  bool host = prop->location.type == CU_MEM_LOCATION_TYPE_HOST ||
              prop->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
  GPM_CU_REQUIRE(host || prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
  if (!host) GPM_CU_DEVICE(prop->location.id);
  return CUDA_SUCCESS;
}

static bool multiple(uint64_t size) {
  return size && size % gpm_sim_options()->granularity == 0;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags option) {
  (void)option;
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(granularity && prop);
  if (prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE) GPM_CU_DEVICE(prop->location.id);
  *granularity = gpm_sim_options()->granularity;
  return CUDA_SUCCESS;
}

/* The address that the program asks for is used if it is free. */
static uint64_t reserve(uint64_t size, uint64_t alignment, uint64_t hint) {
  struct gpm_sim_tree *free_space = &gpm_sim_virtual_space()->free;
  if (hint && hint % alignment == 0 && gpm_sim_extents_carve(free_space, hint, size)) return hint;
  if (alignment <= gpm_sim_options()->granularity) return gpm_sim_extents_take(free_space, size);
  uint64_t wide = gpm_sim_extents_take(free_space, size + alignment);
  if (!wide) return 0;
  uint64_t start = gpm_sim_round_up(wide, alignment);
  if (start > wide) gpm_sim_extents_give(free_space, wide, start - wide);
  gpm_sim_extents_give(free_space, start + size, wide + alignment - start);
  return start;
}

CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                             unsigned long long flags) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(ptr && multiple(size) && !(alignment & (alignment - 1)) && flags == 0);
  GPM_SIM_LOCKED;
  if (alignment < gpm_sim_options()->granularity) alignment = gpm_sim_options()->granularity;
  uint64_t start = reserve(size, alignment, addr);
  if (!start) return CUDA_ERROR_OUT_OF_MEMORY;
  struct gpm_sim_range *range = calloc(1, sizeof *range);
  if (!range) return CUDA_ERROR_OUT_OF_MEMORY;
  range->start = start;
  range->size = size;
  gpm_sim_tree_insert(&reservations, range);
  *ptr = start;
  return CUDA_SUCCESS;
}

/* Whether any block lies in the range. */
static bool mapped(uint64_t start, uint64_t size) {
  for (uint64_t at = start; at < start + size; at += gpm_sim_options()->granularity)
    if (gpm_sim_block_find(at)) return true;
  return false;
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size) {
  GPM_CU_BEGIN;
  GPM_SIM_LOCKED;
  struct gpm_sim_range *range = gpm_sim_tree_find(&reservations, ptr);
  GPM_CU_REQUIRE(range && range->start == ptr && range->size == size && !mapped(ptr, size));
  gpm_sim_tree_remove(&reservations, range);
  free(range);
  gpm_sim_extents_give(&gpm_sim_virtual_space()->free, ptr, size);
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                     const CUmemAllocationProp *prop, unsigned long long flags) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(handle && prop && multiple(size) && flags == 0);
  CUresult wrong = check_location(prop);
  if (wrong) return wrong;
  GPM_SIM_LOCKED;
  if (gpm_sim_allocation_fails()) return CUDA_ERROR_OUT_OF_MEMORY;
  bool host = prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE;
  struct gpm_sim_store *store = NULL;
  int error = gpm_sim_store_create(host ? -1 : prop->location.id, size, &store);
  if (error) return (CUresult)error;
  struct gpm_cudrv_physical *p = gpm_cudrv_physical_make(store, prop);
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = (uintptr_t)p;
  return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  GPM_CU_BEGIN;
  GPM_SIM_LOCKED;
  struct gpm_cudrv_physical *p = gpm_cudrv_physical_get(handle);
  GPM_CU_REQUIRE(p);
  if (gpm_sim_free_fails()) return CUDA_ERROR_INVALID_VALUE;
  p->handles--;
  gpm_cudrv_physical_check(p);
  return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr) {
  GPM_CU_BEGIN;
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = gpm_sim_block_find((uintptr_t)addr);
  GPM_CU_REQUIRE(handle && block && block->kind == GPM_SIM_MAPPED_MEMORY);
  struct gpm_cudrv_physical *p = block->physical;
  p->handles++;
  *handle = (uintptr_t)p;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                CUmemGenericAllocationHandle handle) {
  GPM_CU_BEGIN;
  struct gpm_cudrv_physical *p = gpm_cudrv_physical_get(handle);
  GPM_CU_REQUIRE(prop && p);
  *prop = p->properties;
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  GPM_CU_BEGIN;
  GPM_SIM_LOCKED;
  struct gpm_cudrv_physical *p = gpm_cudrv_physical_get(handle);
  struct gpm_sim_range *range = gpm_sim_tree_find(&reservations, ptr);
  GPM_CU_REQUIRE(p && range && multiple(size) && offset == 0 && flags == 0);
  if (size > p->store->size) return CUDA_ERROR_NOT_SUPPORTED; /* as on an H200 */
  GPM_CU_REQUIRE(ptr % gpm_sim_options()->granularity == 0);
  GPM_CU_REQUIRE(size <= range->start + range->size - ptr && !mapped(ptr, size));
  struct gpm_sim_block *block = gpm_sim_block_add(ptr, size, GPM_SIM_MAPPED_MEMORY);
  if (!block) return CUDA_ERROR_OUT_OF_MEMORY;
  block->device = p->store->device;
  block->physical = p;
  block->backing = gpm_sim_store_show(p->store, 0, ptr, size);
  p->mappings++;
  return CUDA_SUCCESS;
}

/* The range must consist of whole mappings, as the driver demands. */
static bool whole_mappings(uint64_t start, uint64_t size) {
  uint64_t at = start;
  while (at < start + size) {
    struct gpm_sim_block *block = gpm_sim_block_find(at);
    if (!block || block->kind != GPM_SIM_MAPPED_MEMORY || block->range.start != at) return false;
    at += block->range.size;
  }
  return size && at == start + size;
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size) {
  GPM_CU_BEGIN;
  GPM_SIM_LOCKED;
  struct gpm_sim_range *range = gpm_sim_tree_find(&reservations, ptr);
  GPM_CU_REQUIRE(range && multiple(size) && size <= range->start + range->size - ptr);
  if (!mapped(ptr, size)) return CUDA_SUCCESS; /* as the driver does */
  GPM_CU_REQUIRE(whole_mappings(ptr, size));
  for (uint64_t at = ptr; at < ptr + size;) {
    struct gpm_sim_block *block = gpm_sim_block_find(at);
    struct gpm_cudrv_physical *p = block->physical;
    gpm_sim_store_hide(p->store, at, block->range.size);
    at += block->range.size;
    gpm_sim_block_drop(block);
    p->mappings--;
    gpm_cudrv_physical_check(p);
  }
  return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count) {
  GPM_CU_BEGIN;
  GPM_SIM_LOCKED;
  GPM_CU_REQUIRE(desc && count && whole_mappings(ptr, size));
  for (size_t i = 0; i < count; i++)
    if (desc[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE) GPM_CU_DEVICE(desc[i].location.id);
  bool accessible = desc[0].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
  for (uint64_t at = ptr; at < ptr + size;) {
    struct gpm_sim_block *block = gpm_sim_block_find(at);
    block->accessible = accessible;
    at += block->range.size;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr) {
  GPM_CU_BEGIN;
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = gpm_sim_block_find(ptr);
  GPM_CU_REQUIRE(flags && location && block && block->kind == GPM_SIM_MAPPED_MEMORY);
  *flags = block->accessible ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}
