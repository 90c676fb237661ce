/* vmm_share.c - memory of cuMemCreate shared with other processes by a file, and multicast objects,
 * to which memory of several devices is bound.
 */
#include "base/lock.h"
#include "base/options.h"
#include "driver_api/cudrv.h"

#include <stdlib.h>

#define BY_FILE CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

CUresult cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType,
                                      unsigned long long flags) {
  GPM_CU_BEGIN;
  GPM_SIM_LOCKED;
  struct gpm_cudrv_physical *p = gpm_cudrv_physical_get(handle);
  GPM_CU_REQUIRE(shareableHandle && p && flags == 0);
  GPM_CU_REQUIRE(handleType & p->properties.requestedHandleTypes);
  if (handleType != BY_FILE) return CUDA_ERROR_NOT_SUPPORTED;
  struct gpm_sim_ticket ticket =
      gpm_sim_ticket_write(GPM_SIM_TICKET_MEMORY, p->store->device, 0, p->store->size);
  ticket.type = p->properties.type;
  ticket.location = p->properties.location.type;
  ticket.usage = p->properties.allocFlags.usage;
  return (CUresult)gpm_sim_share_file(ticket, p->store, NULL, shareableHandle);
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                        CUmemAllocationHandleType shHandleType) {
  GPM_CU_BEGIN;
  int file = (int)(intptr_t)osHandle;
  GPM_CU_REQUIRE(handle && shHandleType == BY_FILE && file > 0);
  GPM_SIM_LOCKED;
  struct gpm_sim_ticket ticket;
  int error = gpm_sim_share_read(file, GPM_SIM_TICKET_MEMORY, &ticket);
  if (error) return (CUresult)error;
  struct gpm_sim_store *store = gpm_sim_ticket_is_ours(&ticket)
                                    ? gpm_sim_share_store(&ticket)
                                    : gpm_sim_store_foreign(ticket.device, ticket.size);
  if (!store) return CUDA_ERROR_OUT_OF_MEMORY;
  CUmemAllocationProp properties = {
      /* an import cannot be exported again, as on an H200 */
      .type = (CUmemAllocationType)ticket.type,
      .location = {(CUmemLocationType)ticket.location, ticket.device < 0 ? 0 : ticket.device}};
  properties.allocFlags.usage = (unsigned short)ticket.usage;
  struct gpm_cudrv_physical *p = gpm_cudrv_physical_make(store, &properties);
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = (uintptr_t)p;
  return CUDA_SUCCESS;
}

/* A range of the object to which memory of a device is bound. */
struct binding {
  struct binding *next;
  uint64_t offset, size;
  struct gpm_cudrv_physical *memory;
};

struct gpm_cudrv_team {
  unsigned wanted;  /* how many devices it is for */
  uint64_t devices; /* those that were added, one bit each */
  struct binding *bindings;
};

static void release_team(void *object) {
  struct gpm_cudrv_physical *p = object;
  for (struct binding *b; (b = p->team->bindings);) {
    p->team->bindings = b->next;
    b->memory->mappings--;
    gpm_cudrv_physical_check(b->memory);
    free(b);
  }
  free(p->team);
  gpm_sim_store_drop(p->store);
}

static bool multiple(uint64_t size) {
  return size % gpm_sim_options()->granularity == 0;
}

CUresult cuMulticastGetGranularity(size_t *granularity, const CUmulticastObjectProp *prop,
                                   CUmulticastGranularity_flags option) {
  (void)option;
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(granularity && prop && prop->size && prop->numDevices);
  *granularity = gpm_sim_options()->granularity;
  return CUDA_SUCCESS;
}

/* The object has only addresses, so no device is charged for it. */
CUresult cuMulticastCreate(CUmemGenericAllocationHandle *mcHandle,
                           const CUmulticastObjectProp *prop) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(mcHandle && prop && prop->size && multiple(prop->size) && !prop->flags);
  GPM_CU_REQUIRE(prop->numDevices && prop->numDevices <= (unsigned)gpm_sim_device_count());
  CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                    .requestedHandleTypes =
                                        (CUmemAllocationHandleType)prop->handleTypes};
  GPM_SIM_LOCKED;
  struct gpm_cudrv_team *team = calloc(1, sizeof *team);
  struct gpm_sim_store *store = team ? gpm_sim_store_foreign(0, prop->size) : NULL;
  struct gpm_cudrv_physical *p = store ? gpm_cudrv_physical_make(store, &properties) : NULL;
  if (!p) {
    free(team);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  team->wanted = prop->numDevices;
  p->team = team;
  p->object.release = release_team;
  *mcHandle = (uintptr_t)p;
  return CUDA_SUCCESS;
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle mcHandle, CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_DEVICE(dev);
  GPM_SIM_LOCKED;
  struct gpm_cudrv_physical *p = gpm_cudrv_physical_get(mcHandle);
  GPM_CU_REQUIRE(p && p->team && !(p->team->devices >> dev & 1));
  GPM_CU_REQUIRE((unsigned)__builtin_popcountll(p->team->devices) < p->team->wanted);
  p->team->devices |= UINT64_C(1) << dev;
  return CUDA_SUCCESS;
}

/* A real driver waits for missing devices. Here that is an error, because no other thread could add
 * them meanwhile. */
static CUresult bind(CUmemGenericAllocationHandle object, uint64_t offset,
                     struct gpm_cudrv_physical *memory, uint64_t memory_offset, uint64_t size,
                     unsigned long long flags) {
  struct gpm_cudrv_physical *p = gpm_cudrv_physical_get(object);
  GPM_CU_REQUIRE(p && p->team && memory && !memory->team && memory->store->device >= 0);
  GPM_CU_REQUIRE(size && flags == 0 && multiple(offset | memory_offset | size));
  GPM_CU_REQUIRE(offset <= p->store->size && size <= p->store->size - offset);
  GPM_CU_REQUIRE(memory_offset <= memory->store->size &&
                 size <= memory->store->size - memory_offset);
  GPM_CU_REQUIRE((unsigned)__builtin_popcountll(p->team->devices) == p->team->wanted);
  GPM_CU_REQUIRE(p->team->devices >> memory->store->device & 1);
  for (struct binding *b = p->team->bindings; b; b = b->next)
    GPM_CU_REQUIRE(b->memory->store->device != memory->store->device ||
                   b->offset >= offset + size || offset >= b->offset + b->size);
  struct binding *b = calloc(1, sizeof *b);
  if (!b) return CUDA_ERROR_OUT_OF_MEMORY;
  *b = (struct binding){p->team->bindings, offset, size, memory};
  p->team->bindings = b;
  memory->mappings++;
  return CUDA_SUCCESS;
}

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                            CUmemGenericAllocationHandle memHandle, size_t memOffset, size_t size,
                            unsigned long long flags) {
  GPM_CU_BEGIN;
  GPM_SIM_LOCKED;
  return bind(mcHandle, mcOffset, gpm_cudrv_physical_get(memHandle), memOffset, size, flags);
}

CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                             CUdeviceptr memptr, size_t size, unsigned long long flags) {
  GPM_CU_BEGIN;
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = gpm_sim_block_find(memptr);
  GPM_CU_REQUIRE(block && block->kind == GPM_SIM_MAPPED_MEMORY);
  return bind(mcHandle, mcOffset, block->physical, memptr - block->range.start, size, flags);
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle mcHandle, CUdevice dev, size_t mcOffset,
                           size_t size) {
  GPM_CU_BEGIN;
  GPM_CU_DEVICE(dev);
  GPM_SIM_LOCKED;
  struct gpm_cudrv_physical *p = gpm_cudrv_physical_get(mcHandle);
  GPM_CU_REQUIRE(p && p->team && size);
  for (struct binding **at = &p->team->bindings; *at; at = &(*at)->next) {
    struct binding *b = *at;
    if (b->memory->store->device != dev || b->offset != mcOffset || b->size != size) continue;
    *at = b->next;
    b->memory->mappings--;
    gpm_cudrv_physical_check(b->memory);
    free(b);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}
