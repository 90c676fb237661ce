/* pool.c - stream-ordered allocation and memory pools of the runtime API. */
#include "base/lock.h"
#include "runtime_api/cudart.h"

#include <string.h>

static cudaError_t allocate(void **p, size_t size, struct gpm_sim_pool *pool, cudaStream_t stream) {
  GPM_CUDART_REQUIRE(p && pool);
  uint64_t address = 0;
  int error = gpm_sim_submit_allocate(stream, pool, size, &address);
  if (!error) *p = (void *)(uintptr_t)address;
  return gpm_cudart_end(error);
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream) {
  GPM_CUDART_BEGIN;
  return allocate(devPtr, size, gpm_sim_pool_current(gpm_sim_stream_device(hStream)), hStream);
}
GPM_CUDART_ALIAS(cudaMallocAsync, _ptsz);

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                                    cudaStream_t stream) {
  GPM_CUDART_BEGIN;
  return allocate(ptr, size, gpm_sim_pool_get_handle(memPool), stream);
}
GPM_CUDART_ALIAS(cudaMallocFromPoolAsync, _ptsz);

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream) {
  GPM_CUDART_BEGIN;
  return gpm_cudart_end(gpm_sim_submit_free(hStream, (uintptr_t)devPtr));
}
GPM_CUDART_ALIAS(cudaFreeAsync, _ptsz);

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps) {
  GPM_CUDART_REQUIRE(memPool && poolProps);
  GPM_CUDART_BEGIN;
  struct gpm_sim_pool_properties properties = {
      (int)poolProps->allocType, (int)poolProps->location.type, poolProps->location.id,
      (int)poolProps->handleTypes, poolProps->maxSize};
  return gpm_cudart_end(gpm_sim_pool_make(&properties, (struct gpm_sim_pool **)memPool));
}

_Static_assert(sizeof(struct cudaMemPoolPtrExportData) >= sizeof(struct gpm_sim_ticket), "fits");

cudaError_t cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
                                               enum cudaMemAllocationHandleType handleType,
                                               unsigned int flags) {
  struct gpm_sim_pool *pool = gpm_sim_pool_get_handle(memPool);
  GPM_CUDART_REQUIRE(pool && flags == 0);
  return gpm_cudart_end(gpm_sim_pool_export(pool, (int)handleType, shareableHandle));
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *memPool, void *shareableHandle,
                                                 enum cudaMemAllocationHandleType handleType,
                                                 unsigned int flags) {
  GPM_CUDART_REQUIRE(flags == 0);
  GPM_CUDART_BEGIN;
  return gpm_cudart_end(gpm_sim_pool_import((int)(intptr_t)shareableHandle, (int)handleType,
                                            (struct gpm_sim_pool **)memPool));
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData, void *ptr) {
  return gpm_cudart_end(
      gpm_sim_pool_export_pointer((uintptr_t)ptr, (struct gpm_sim_ticket *)(void *)exportData));
}

cudaError_t cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
                                     struct cudaMemPoolPtrExportData *exportData) {
  struct gpm_sim_pool *pool = gpm_sim_pool_get_handle(memPool);
  GPM_CUDART_REQUIRE(ptr && pool && exportData);
  GPM_CUDART_BEGIN;
  struct gpm_sim_ticket ticket;
  memcpy(&ticket, exportData, sizeof ticket);
  uint64_t address = 0;
  int error = gpm_sim_pool_import_pointer(pool, &ticket, &address);
  if (!error) *ptr = (void *)(uintptr_t)address;
  return gpm_cudart_end(error);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
  struct gpm_sim_pool *pool = gpm_sim_pool_get_handle(memPool);
  GPM_CUDART_REQUIRE(pool && !pool->is_default);
  gpm_sim_pool_destroy(pool);
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep) {
  struct gpm_sim_pool *pool = gpm_sim_pool_get_handle(memPool);
  GPM_CUDART_REQUIRE(pool && !pool->imported);
  gpm_sim_pool_trim(pool, minBytesToKeep);
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value) {
  struct gpm_sim_pool *pool = gpm_sim_pool_get_handle(memPool);
  GPM_CUDART_REQUIRE(pool && value);
  return gpm_cudart_end(gpm_sim_pool_set(pool, (int)attr, value));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value) {
  struct gpm_sim_pool *pool = gpm_sim_pool_get_handle(memPool);
  GPM_CUDART_REQUIRE(pool && value);
  return gpm_cudart_end(gpm_sim_pool_get(pool, (int)attr, value));
}

/* Every device may access every pool. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList,
                                 size_t count) {
  GPM_CUDART_REQUIRE(gpm_sim_pool_get_handle(memPool) && (descList || !count));
  for (size_t i = 0; i < count; i++)
    if (descList[i].location.type == cudaMemLocationTypeDevice &&
        !gpm_sim_device(descList[i].location.id))
      return gpm_cudart_end(cudaErrorInvalidDevice);
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                 struct cudaMemLocation *location) {
  GPM_CUDART_REQUIRE(flags && location && gpm_sim_pool_get_handle(memPool));
  *flags = cudaMemAccessFlagsProtReadWrite;
  return gpm_cudart_end(cudaSuccess);
}

static cudaError_t answer(cudaMemPool_t *result, struct gpm_sim_pool *pool) {
  if (!pool) return gpm_cudart_end(cudaErrorInvalidDevice);
  *result = (cudaMemPool_t)pool;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device) {
  GPM_CUDART_REQUIRE(memPool);
  return answer(memPool, gpm_sim_pool_default(device));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device) {
  GPM_CUDART_REQUIRE(memPool);
  return answer(memPool, gpm_sim_pool_current(device));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
  struct gpm_sim_device *d = gpm_sim_device(device);
  struct gpm_sim_pool *pool = gpm_sim_pool_get_handle(memPool);
  if (!d) return gpm_cudart_end(cudaErrorInvalidDevice);
  GPM_CUDART_REQUIRE(pool && pool->device == device);
  GPM_SIM_LOCKED;
  d->pool = pool;
  return gpm_cudart_end(cudaSuccess);
}

static cudaError_t pool_at(cudaMemPool_t *result, const struct cudaMemLocation *location,
                           enum cudaMemAllocationType type, bool current) {
  GPM_CUDART_REQUIRE(result && location);
  GPM_CUDART_BEGIN;
  return gpm_cudart_end(gpm_sim_pool_at((int)type, (int)location->type, location->id, current,
                                        (struct gpm_sim_pool **)result));
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type) {
  return pool_at(memPool, location, type, false);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                              enum cudaMemAllocationType type) {
  return pool_at(memPool, location, type, true);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                              cudaMemPool_t memPool) {
  GPM_CUDART_REQUIRE(location);
  return gpm_cudart_end(gpm_sim_pool_set_at((int)type, (int)location->type, location->id,
                                            gpm_sim_pool_get_handle(memPool)));
}
