/* pool.c - stream-ordered allocation and memory pools of the driver API. */
#include "base/lock.h"
#include "driver_api/cudrv.h"

#include <string.h>

static CUresult allocate(CUdeviceptr *p, size_t size, struct gpm_sim_pool *pool, CUstream stream) {
  GPM_CU_REQUIRE(p && pool);
  uint64_t address = 0;
  int error = gpm_sim_submit_allocate(stream, pool, size, &address);
  if (!error) *p = address;
  return (CUresult)error;
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
  GPM_CU_CONTEXT;
  return allocate(dptr, bytesize, gpm_sim_pool_current(gpm_sim_stream_device(hStream)), hStream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
                                 CUstream hStream) {
  GPM_CU_CONTEXT;
  return allocate(dptr, bytesize, gpm_sim_pool_get_handle(pool), hStream);
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  GPM_CU_CONTEXT;
  return (CUresult)gpm_sim_submit_free(hStream, dptr);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(pool && poolProps);
  struct gpm_sim_pool_properties properties = {
      (int)poolProps->allocType, (int)poolProps->location.type, poolProps->location.id,
      (int)poolProps->handleTypes, poolProps->maxSize};
  return (CUresult)gpm_sim_pool_make(&properties, (struct gpm_sim_pool **)pool);
}

_Static_assert(sizeof(CUmemPoolPtrExportData) >= sizeof(struct gpm_sim_ticket), "fits");

CUresult cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool,
                                          CUmemAllocationHandleType handleType,
                                          unsigned long long flags) {
  GPM_CU_BEGIN;
  struct gpm_sim_pool *p = gpm_sim_pool_get_handle(pool);
  GPM_CU_REQUIRE(p && flags == 0);
  return (CUresult)gpm_sim_pool_export(p, (int)handleType, handle_out);
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle,
                                            CUmemAllocationHandleType handleType,
                                            unsigned long long flags) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(flags == 0);
  return (CUresult)gpm_sim_pool_import((int)(intptr_t)handle, (int)handleType,
                                       (struct gpm_sim_pool **)pool_out);
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr) {
  GPM_CU_BEGIN;
  return (CUresult)gpm_sim_pool_export_pointer(ptr, (struct gpm_sim_ticket *)(void *)shareData_out);
}

CUresult cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool,
                                CUmemPoolPtrExportData *shareData) {
  GPM_CU_CONTEXT;
  struct gpm_sim_pool *p = gpm_sim_pool_get_handle(pool);
  GPM_CU_REQUIRE(ptr_out && p && shareData);
  struct gpm_sim_ticket ticket;
  memcpy(&ticket, shareData, sizeof ticket);
  uint64_t address = 0;
  int error = gpm_sim_pool_import_pointer(p, &ticket, &address);
  if (!error) *ptr_out = address;
  return (CUresult)error;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  GPM_CU_BEGIN;
  struct gpm_sim_pool *p = gpm_sim_pool_get_handle(pool);
  GPM_CU_REQUIRE(p && !p->is_default);
  gpm_sim_pool_destroy(p);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
  GPM_CU_BEGIN;
  struct gpm_sim_pool *p = gpm_sim_pool_get_handle(pool);
  GPM_CU_REQUIRE(p && !p->imported);
  gpm_sim_pool_trim(p, minBytesToKeep);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
  GPM_CU_BEGIN;
  struct gpm_sim_pool *p = gpm_sim_pool_get_handle(pool);
  GPM_CU_REQUIRE(p && value);
  return (CUresult)gpm_sim_pool_set(p, (int)attr, value);
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
  GPM_CU_BEGIN;
  struct gpm_sim_pool *p = gpm_sim_pool_get_handle(pool);
  GPM_CU_REQUIRE(p && value);
  return (CUresult)gpm_sim_pool_get(p, (int)attr, value);
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(gpm_sim_pool_get_handle(pool) && (map || !count));
  for (size_t i = 0; i < count; i++)
    if (map[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE) GPM_CU_DEVICE(map[i].location.id);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool,
                            CUmemLocation *location) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(flags && location && gpm_sim_pool_get_handle(memPool));
  *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return CUDA_SUCCESS;
}

static CUresult answer(CUmemoryPool *result, struct gpm_sim_pool *pool) {
  if (!pool) return CUDA_ERROR_INVALID_DEVICE;
  *result = (CUmemoryPool)pool;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(pool_out);
  return answer(pool_out, gpm_sim_pool_default(dev));
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(pool);
  return answer(pool, gpm_sim_pool_current(dev));
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  GPM_CU_BEGIN;
  GPM_CU_DEVICE(dev);
  struct gpm_sim_pool *p = gpm_sim_pool_get_handle(pool);
  GPM_CU_REQUIRE(p && p->device == dev);
  GPM_SIM_LOCKED;
  gpm_sim_device(dev)->pool = p;
  return CUDA_SUCCESS;
}

static CUresult pool_at(CUmemoryPool *result, const CUmemLocation *location,
                        CUmemAllocationType type, bool current) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(result && location);
  return (CUresult)gpm_sim_pool_at((int)type, (int)location->type, location->id, current,
                                   (struct gpm_sim_pool **)result);
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location,
                                CUmemAllocationType type) {
  return pool_at(pool_out, location, type, false);
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
  return pool_at(pool, location, type, true);
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(location);
  return (CUresult)gpm_sim_pool_set_at((int)type, (int)location->type, location->id,
                                       gpm_sim_pool_get_handle(pool));
}
