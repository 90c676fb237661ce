/* memory.c - cudaMalloc and other allocations, pinned and registered host memory, and questions
 * about pointers.
 */
#include "base/lock.h"
#include "runtime_api/cudart.h"

#include <string.h>

/* The runtime API does not ask the driver for nothing. */
static int empty(void **p) {
  int forbidden = gpm_sim_capture_check();
  if (!forbidden) *p = NULL;
  return forbidden;
}

cudaError_t cudaMalloc(void **devPtr, size_t size) {
  GPM_CUDART_REQUIRE(devPtr);
  GPM_CUDART_BEGIN;
  if (!size) return gpm_cudart_end(empty(devPtr));
  CUdeviceptr address = 0;
  int error = (int)gpm_sim_cuMemAlloc_v2(&address, size);
  if (!error) *devPtr = (void *)(uintptr_t)address;
  return gpm_cudart_end(error);
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags) {
  GPM_CUDART_REQUIRE(devPtr && (flags == cudaMemAttachGlobal || flags == cudaMemAttachHost));
  GPM_CUDART_BEGIN;
  if (!size) return gpm_cudart_end(empty(devPtr));
  CUdeviceptr address = 0;
  int error = (int)gpm_sim_cuMemAllocManaged(&address, size, flags);
  if (!error) *devPtr = (void *)(uintptr_t)address;
  return gpm_cudart_end(error);
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags) {
  GPM_CUDART_REQUIRE(pHost && !(flags & ~7u));
  GPM_CUDART_BEGIN;
  return gpm_cudart_end((int)gpm_sim_cuMemHostAlloc(pHost, size, flags));
}

cudaError_t cudaMallocHost(void **ptr, size_t size) {
  return cudaHostAlloc(ptr, size, 0);
}

static cudaError_t pitched(void **p, size_t *pitch, size_t width, size_t rows) {
  GPM_CUDART_BEGIN;
  uint64_t row = gpm_sim_round_up(width, GPM_SIM_ALIGNMENT), size;
  GPM_CUDART_REQUIRE((row || !width) && !__builtin_mul_overflow(row, rows, &size));
  if (!size) {
    *pitch = row;
    return gpm_cudart_end(empty(p));
  }
  CUdeviceptr address = 0;
  int error = (int)gpm_sim_cuMemAllocPitch_v2(&address, pitch, width, rows, 4);
  if (!error) *p = (void *)(uintptr_t)address;
  return gpm_cudart_end(error);
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height) {
  GPM_CUDART_REQUIRE(devPtr && pitch);
  return pitched(devPtr, pitch, width, height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent) {
  size_t rows;
  GPM_CUDART_REQUIRE(pitchedDevPtr && !__builtin_mul_overflow(extent.height, extent.depth, &rows));
  struct cudaPitchedPtr made = {.xsize = extent.width, .ysize = extent.height};
  cudaError_t error = pitched(&made.ptr, &made.pitch, extent.width, rows);
  if (!error) *pitchedDevPtr = made;
  return error;
}

cudaError_t cudaFree(void *devPtr) {
  GPM_CUDART_BEGIN;
  if (!devPtr) return gpm_cudart_end(cudaSuccess);
  return gpm_cudart_end((int)gpm_sim_cuMemFree_v2((uintptr_t)devPtr));
}

cudaError_t cudaFreeHost(void *ptr) {
  GPM_CUDART_BEGIN;
  if (!ptr) return gpm_cudart_end(cudaSuccess);
  return gpm_cudart_end((int)gpm_sim_cuMemFreeHost(ptr));
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags) {
  GPM_CUDART_BEGIN;
  return gpm_cudart_end((int)gpm_sim_cuMemHostRegister_v2(ptr, size, flags));
}

cudaError_t cudaHostUnregister(void *ptr) {
  GPM_CUDART_BEGIN;
  return gpm_cudart_end((int)gpm_sim_cuMemHostUnregister(ptr));
}

/* The pinned or registered block that holds a host address; null: pageable memory. */
static struct gpm_sim_block *host_block(const void *p) {
  struct gpm_sim_block *block = gpm_sim_block_find((uintptr_t)p);
  bool pinned =
      block && (block->kind == GPM_SIM_PINNED_MEMORY || block->kind == GPM_SIM_REGISTERED_MEMORY);
  return pinned ? block : NULL;
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags) {
  GPM_CUDART_REQUIRE(pDevice && flags == 0);
  GPM_CUDART_BEGIN;
  GPM_SIM_LOCKED;
  GPM_CUDART_REQUIRE(host_block(pHost));
  *pDevice = pHost; /* unified addressing */
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost) {
  GPM_CUDART_REQUIRE(pFlags);
  GPM_CUDART_BEGIN;
  GPM_SIM_LOCKED;
  struct gpm_sim_block *block = host_block(pHost);
  GPM_CUDART_REQUIRE(block);
  *pFlags = block->flags | cudaHostAllocMapped;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  GPM_CUDART_REQUIRE(free && total);
  GPM_CUDART_BEGIN;
  GPM_SIM_LOCKED;
  gpm_sim_share_collect();
  const struct gpm_sim_space *space = &gpm_sim_device(gpm_sim_current_device())->space;
  *free = space->capacity - space->used;
  *total = space->capacity;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr) {
  GPM_CUDART_REQUIRE(attributes);
  GPM_CUDART_BEGIN;
  GPM_SIM_LOCKED;
  memset(attributes, 0, sizeof *attributes);
  struct gpm_sim_block *block = gpm_sim_block_find((uintptr_t)ptr);
  if (!block) {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = (void *)(uintptr_t)ptr;
    return gpm_cudart_end(cudaSuccess);
  }
  attributes->type = (enum cudaMemoryType)gpm_sim_block_place(block);
  bool device_only = attributes->type == cudaMemoryTypeDevice;
  attributes->device = block->context ? block->context->device : block->device;
  attributes->devicePointer = (void *)(uintptr_t)ptr;
  attributes->hostPointer = device_only ? NULL : (void *)(uintptr_t)ptr;
  return gpm_cudart_end(cudaSuccess);
}

static bool managed(const void *p, size_t count) {
  struct gpm_sim_block *block = gpm_sim_block_find((uintptr_t)p);
  return block && block->kind == GPM_SIM_MANAGED_MEMORY && count &&
         count <= block->range.start + block->requested - (uintptr_t)p;
}

static bool location_exists(struct cudaMemLocation location) {
  return location.type != cudaMemLocationTypeDevice || gpm_sim_device(location.id);
}

cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream) {
  GPM_CUDART_BEGIN;
  GPM_SIM_LOCKED;
  GPM_CUDART_REQUIRE(flags == 0 && managed(devPtr, count));
  if (!location_exists(location)) return gpm_cudart_end(cudaErrorInvalidDevice);
  if (!gpm_sim_stream_get(stream)) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  gpm_sim_block_find((uintptr_t)devPtr)->prefetched =
      location.type == cudaMemLocationTypeDevice ? location.id : -1;
  return gpm_cudart_end(cudaSuccess);
}
GPM_CUDART_ALIAS(cudaMemPrefetchAsync, _ptsz);

cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
  GPM_CUDART_BEGIN;
  GPM_SIM_LOCKED;
  GPM_CUDART_REQUIRE(managed(devPtr, count));
  GPM_CUDART_REQUIRE(advice >= cudaMemAdviseSetReadMostly &&
                     advice <= cudaMemAdviseUnsetAccessedBy);
  if (!location_exists(location)) return gpm_cudart_end(cudaErrorInvalidDevice);
  return gpm_cudart_end(cudaSuccess);
}

/* Advice has no effect and memory does not move, so every answer is "no" or "nowhere". */
cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize,
                                     enum cudaMemRangeAttribute attribute, const void *devPtr,
                                     size_t count) {
  GPM_CUDART_REQUIRE(data && dataSize >= sizeof(int));
  GPM_CUDART_BEGIN;
  GPM_SIM_LOCKED;
  GPM_CUDART_REQUIRE(managed(devPtr, count));
  int none = attribute == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
  for (size_t i = 0; i + sizeof none <= dataSize; i += sizeof none)
    memcpy((char *)data + i, &none, sizeof none);
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                                      enum cudaMemRangeAttribute *attributes, size_t numAttributes,
                                      const void *devPtr, size_t count) {
  GPM_CUDART_REQUIRE(data && dataSizes && attributes);
  for (size_t i = 0; i < numAttributes; i++) {
    cudaError_t error =
        cudaMemRangeGetAttribute(data[i], dataSizes[i], attributes[i], devPtr, count);
    if (error) return error;
  }
  return gpm_cudart_end(cudaSuccess);
}

_Static_assert(sizeof(cudaIpcMemHandle_t) >= sizeof(struct gpm_sim_ticket), "fits");

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr) {
  GPM_CUDART_REQUIRE(handle);
  GPM_CUDART_BEGIN;
  struct gpm_sim_ticket ticket;
  int error = gpm_sim_ipc_get((uintptr_t)devPtr, &ticket);
  if (!error) memcpy(handle, &ticket, sizeof ticket);
  return gpm_cudart_end(error);
}

_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(CUipcMemHandle), "same");

cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags) {
  GPM_CUDART_REQUIRE(devPtr && flags == cudaIpcMemLazyEnablePeerAccess);
  GPM_CUDART_BEGIN;
  CUipcMemHandle same;
  memcpy(&same, &handle, sizeof same);
  CUdeviceptr address = 0;
  int error = (int)gpm_sim_cuIpcOpenMemHandle_v2(&address, same, flags);
  if (!error) *devPtr = (void *)(uintptr_t)address;
  return gpm_cudart_end(error);
}

cudaError_t cudaIpcCloseMemHandle(void *devPtr) {
  GPM_CUDART_BEGIN;
  return gpm_cudart_end((int)gpm_sim_cuIpcCloseMemHandle((uintptr_t)devPtr));
}
