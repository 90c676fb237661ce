/* memory.c - allocations of the driver API, and questions about pointers. */
#include "base/lock.h"
#include "driver_api/cudrv.h"

#include <string.h>

static CUresult allocate(enum gpm_sim_kind kind, uint64_t size, unsigned flags, uint64_t *address) {
  GPM_CU_CONTEXT;
  /* Unlike the runtime API, the driver refuses an empty allocation of a device. */
  GPM_CU_REQUIRE(size || kind == GPM_SIM_PINNED_MEMORY);
  return (CUresult)gpm_sim_block_allocate(kind, size, flags, address);
}

CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(dptr);
  uint64_t address = 0;
  CUresult error = allocate(GPM_SIM_DEVICE_MEMORY, bytesize, 0, &address);
  if (!error) *dptr = address;
  return error;
}

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(dptr && (flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST));
  uint64_t address = 0;
  CUresult error = allocate(GPM_SIM_MANAGED_MEMORY, bytesize, flags, &address);
  if (!error) *dptr = address;
  return error;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                            unsigned int ElementSizeBytes) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(dptr && pPitch);
  GPM_CU_REQUIRE(ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16);
  uint64_t row = gpm_sim_round_up(WidthInBytes, GPM_SIM_ALIGNMENT), size, address = 0;
  GPM_CU_REQUIRE((row || !WidthInBytes) && !__builtin_mul_overflow(row, Height, &size));
  CUresult error = allocate(GPM_SIM_DEVICE_MEMORY, size, 0, &address);
  if (error) return error;
  *dptr = address;
  *pPitch = row;
  return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(pp && !(Flags & ~7u));
  uint64_t address = 0;
  CUresult error = allocate(GPM_SIM_PINNED_MEMORY, bytesize, Flags, &address);
  if (!error) *pp = (void *)(uintptr_t)address;
  return error;
}

CUresult cuMemAllocHost_v2(void **pp, size_t bytesize) {
  return cuMemHostAlloc(pp, bytesize, 0);
}

CUresult cuMemFree_v2(CUdeviceptr dptr) {
  GPM_CU_CONTEXT;
  if (!dptr) return CUDA_SUCCESS;
  return (CUresult)gpm_sim_block_free(dptr, GPM_SIM_FREEABLE);
}

CUresult cuMemFreeHost(void *p) {
  GPM_CU_CONTEXT;
  if (!p) return CUDA_SUCCESS;
  return (CUresult)gpm_sim_block_free((uintptr_t)p, GPM_SIM_KIND_BIT(GPM_SIM_PINNED_MEMORY));
}

CUresult cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags) {
  GPM_CU_CONTEXT;
  return (CUresult)gpm_sim_block_register((uintptr_t)p, bytesize, Flags);
}

CUresult cuMemHostUnregister(void *p) {
  GPM_CU_CONTEXT;
  return (CUresult)gpm_sim_block_unregister((uintptr_t)p);
}

static struct gpm_sim_block *host_block(const void *p) {
  struct gpm_sim_block *block = gpm_sim_block_find((uintptr_t)p);
  bool pinned =
      block && (block->kind == GPM_SIM_PINNED_MEMORY || block->kind == GPM_SIM_REGISTERED_MEMORY);
  return pinned ? block : NULL;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags) {
  GPM_CU_CONTEXT;
  GPM_SIM_LOCKED;
  GPM_CU_REQUIRE(pdptr && Flags == 0 && host_block(p));
  *pdptr = (uintptr_t)p;
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p) {
  GPM_CU_CONTEXT;
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = host_block(p);
  GPM_CU_REQUIRE(pFlags && block);
  *pFlags = block->flags | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(free && total);
  GPM_SIM_LOCKED;
  gpm_sim_share_collect();
  const struct gpm_sim_space *space = &gpm_sim_device(gpm_sim_current_device())->space;
  *free = space->capacity - space->used;
  *total = space->capacity;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr) {
  GPM_CU_CONTEXT;
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = gpm_sim_block_find(dptr);
  if (!block) return CUDA_ERROR_NOT_FOUND;
  if (pbase) *pbase = block->range.start;
  if (psize) *psize = block->requested;
  return CUDA_SUCCESS;
}

static CUmemorytype type_of(const struct gpm_sim_block *block) {
  return gpm_sim_block_place(block) == GPM_SIM_IN_HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

/* Stores one attribute of a block into *data. */
static CUresult ask(void *data, CUpointer_attribute attribute, CUdeviceptr ptr,
                    const struct gpm_sim_block *block) {
  bool in_context = block->kind != GPM_SIM_POOL_MEMORY; /* pools belong to no context */
  bool host = type_of(block) == CU_MEMORYTYPE_HOST;
  bool managed = gpm_sim_block_place(block) == GPM_SIM_IN_BOTH;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    *(CUcontext *)data = in_context ? (CUcontext)block->context : NULL;
    break;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *(unsigned *)data = type_of(block);
    break;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    *(CUdeviceptr *)data = ptr;
    break;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!host && !managed) return CUDA_ERROR_INVALID_VALUE;
    *(void **)data = (void *)(uintptr_t)ptr;
    break;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    *(int *)data = 0;
    break;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    *(unsigned long long *)data = block->id;
    break;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    *(int *)data = managed;
    break;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *(int *)data = in_context && block->context ? block->context->device : block->device;
    break;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    *(CUdeviceptr *)data = block->range.start;
    break;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    *(size_t *)data = block->requested;
    break;
  case CU_POINTER_ATTRIBUTE_MAPPED:
    *(int *)data = 1;
    break;
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    *(void **)data = block->pool;
    break;
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(data);
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = gpm_sim_block_find(ptr);
  GPM_CU_REQUIRE(block);
  return ask(data, attribute, ptr, block);
}

/* Unlike the query of one attribute, the query of several gives zeros for ordinary host memory. */
CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes,
                                void **data, CUdeviceptr ptr) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(attributes && data);
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = gpm_sim_block_find(ptr);
  for (unsigned i = 0; i < numAttributes; i++) {
    bool wide = attributes[i] == CU_POINTER_ATTRIBUTE_CONTEXT ||
                attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
                attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER ||
                attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
                attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE;
    if (!block || ask(data[i], attributes[i], ptr, block)) memset(data[i], 0, wide ? 8 : 4);
  }
  return CUDA_SUCCESS;
}

static bool managed_range(CUdeviceptr p, size_t count) {
  struct gpm_sim_block *block = gpm_sim_block_find(p);
  return block && block->kind == GPM_SIM_MANAGED_MEMORY && count &&
         count <= block->range.start + block->requested - p;
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                               unsigned int flags, CUstream hStream) {
  GPM_CU_CONTEXT;
  GPM_SIM_LOCKED;
  GPM_CU_REQUIRE(flags == 0 && managed_range(devPtr, count));
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) GPM_CU_DEVICE(location.id);
  if (!gpm_sim_stream_get(hStream)) return CUDA_ERROR_INVALID_HANDLE;
  gpm_sim_block_find(devPtr)->prefetched =
      location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : -1;
  return CUDA_SUCCESS;
}
GPM_CU_ALIAS(cuMemPrefetchAsync_v2, _ptsz);

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                        CUmemLocation location) {
  (void)advice;
  GPM_CU_CONTEXT;
  GPM_SIM_LOCKED;
  GPM_CU_REQUIRE(managed_range(devPtr, count));
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) GPM_CU_DEVICE(location.id);
  return CUDA_SUCCESS;
}

CUresult cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
                                CUdeviceptr devPtr, size_t count) {
  GPM_CU_CONTEXT;
  GPM_SIM_LOCKED;
  GPM_CU_REQUIRE(data && dataSize >= sizeof(int) && managed_range(devPtr, count));
  int none = attribute == CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ? 0 : CU_DEVICE_INVALID;
  if (attribute == CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION)
    none = gpm_sim_block_find(devPtr)->prefetched;
  for (size_t i = 0; i + sizeof none <= dataSize; i += sizeof none)
    memcpy((char *)data + i, &none, sizeof none);
  return CUDA_SUCCESS;
}

CUresult cuMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes,
                                 size_t numAttributes, CUdeviceptr devPtr, size_t count) {
  GPM_CU_REQUIRE(data && dataSizes && attributes);
  for (size_t i = 0; i < numAttributes; i++) {
    CUresult error = cuMemRangeGetAttribute(data[i], dataSizes[i], attributes[i], devPtr, count);
    if (error) return error;
  }
  return CUDA_SUCCESS;
}

_Static_assert(sizeof(CUipcMemHandle) >= sizeof(struct gpm_sim_ticket), "fits");

CUresult cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(pHandle);
  struct gpm_sim_ticket ticket;
  int error = gpm_sim_ipc_get(dptr, &ticket);
  if (!error) memcpy(pHandle, &ticket, sizeof ticket);
  return (CUresult)error;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(pdptr && Flags == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  struct gpm_sim_ticket ticket;
  memcpy(&ticket, &handle, sizeof ticket);
  uint64_t address = 0;
  int error = gpm_sim_ipc_open(&ticket, &address);
  if (!error) *pdptr = address;
  return (CUresult)error;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
  GPM_CU_CONTEXT;
  return (CUresult)gpm_sim_ipc_close(dptr);
}
