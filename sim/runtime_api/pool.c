/* pool.c - stream-ordered allocation and memory pools of the runtime API. */
#include "base/lock.h"
#include "runtime_api/cudart.h"

#include <string.h>

/* The functions with a stream, for either default stream: suffix is _ptsz or nothing. */
#define ORDERED(suffix)                                                                            \
  cudaError_t cudaMallocAsync##suffix(void **p, size_t size, cudaStream_t stream) {                \
    GPM_CUDART_BEGIN;                                                                              \
    GPM_CUDART_REQUIRE(p);                                                                         \
    CUdeviceptr address = 0;                                                                       \
    return give(p, &address, gpm_sim_cuMemAllocAsync##suffix(&address, size, (CUstream)stream));   \
  }                                                                                                \
  cudaError_t cudaMallocFromPoolAsync##suffix(void **p, size_t size, cudaMemPool_t pool,           \
                                              cudaStream_t stream) {                               \
    GPM_CUDART_BEGIN;                                                                              \
    GPM_CUDART_REQUIRE(p);                                                                         \
    CUdeviceptr address = 0;                                                                       \
    return give(p, &address,                                                                       \
                gpm_sim_cuMemAllocFromPoolAsync##suffix(&address, size, (CUmemoryPool)pool,        \
                                                        (CUstream)stream));                        \
  }                                                                                                \
  cudaError_t cudaFreeAsync##suffix(void *p, cudaStream_t stream) {                                \
    GPM_CUDART_BEGIN;                                                                              \
    return gpm_cudart_end((int)gpm_sim_cuMemFreeAsync##suffix((uintptr_t)p, (CUstream)stream));    \
  }

static cudaError_t give(void **p, const CUdeviceptr *address, CUresult error) {
  if (!error) *p = (void *)(uintptr_t)*address;
  return gpm_cudart_end((int)error);
}

ORDERED()
extern __typeof__(cudaMallocAsync) cudaMallocAsync_ptsz;
extern __typeof__(cudaMallocFromPoolAsync) cudaMallocFromPoolAsync_ptsz;
extern __typeof__(cudaFreeAsync) cudaFreeAsync_ptsz;
ORDERED(_ptsz)

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps) {
  GPM_CUDART_REQUIRE(memPool && poolProps);
  GPM_CUDART_BEGIN;
  return gpm_cudart_end(
      (int)gpm_sim_cuMemPoolCreate((CUmemoryPool *)memPool, (const CUmemPoolProps *)poolProps));
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
  return gpm_cudart_end((int)gpm_sim_cuMemPoolImportFromShareableHandle(
      (CUmemoryPool *)memPool, shareableHandle, (CUmemAllocationHandleType)handleType, flags));
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData, void *ptr) {
  return gpm_cudart_end(
      gpm_sim_pool_export_pointer((uintptr_t)ptr, (struct gpm_sim_ticket *)(void *)exportData));
}

cudaError_t cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
                                     struct cudaMemPoolPtrExportData *exportData) {
  GPM_CUDART_REQUIRE(ptr && exportData);
  GPM_CUDART_BEGIN;
  CUdeviceptr address = 0;
  return give(ptr, &address,
              gpm_sim_cuMemPoolImportPointer(&address, (CUmemoryPool)memPool,
                                             (CUmemPoolPtrExportData *)(void *)exportData));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
  GPM_CUDART_DRIVER;
  return gpm_cudart_end((int)gpm_sim_cuMemPoolDestroy((CUmemoryPool)memPool));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep) {
  GPM_CUDART_DRIVER;
  return gpm_cudart_end((int)gpm_sim_cuMemPoolTrimTo((CUmemoryPool)memPool, minBytesToKeep));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value) {
  GPM_CUDART_DRIVER;
  return gpm_cudart_end(
      (int)gpm_sim_cuMemPoolSetAttribute((CUmemoryPool)memPool, (CUmemPool_attribute)attr, value));
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
  GPM_CUDART_DRIVER;
  return gpm_cudart_end((int)gpm_sim_cuDeviceSetMemPool(device, (CUmemoryPool)memPool));
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
  GPM_CUDART_DRIVER;
  return gpm_cudart_end((int)gpm_sim_cuMemSetMemPool(
      (CUmemLocation *)(void *)location, (CUmemAllocationType)type, (CUmemoryPool)memPool));
}
