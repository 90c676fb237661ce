/* green.c - green contexts: contexts for a part of a device's multiprocessors, which share the
 * memory of the primary context. Here they are only names, because no kernel runs.
 */
#include "base/lock.h"
#include "base/object.h"
#include "driver_api/cudrv.h"

#define SMS 132
#define PARTITION 8 /* multiprocessors are given in multiples of this */

struct green {
  struct gpm_sim_object object;
  struct gpm_sim_context *context;
  CUdevResource resource;
};

/* It exists until the program ends, because the API has no call to free one. */
struct CUdevResourceDesc_st {
  struct gpm_sim_object object;
  CUdevResource resource;
};

static struct green *green_get(CUgreenCtx handle) {
  return gpm_sim_object_get(handle, GPM_SIM_GREEN);
}

static CUdevResource multiprocessors(unsigned count) {
  CUdevResource resource = {.type = CU_DEV_RESOURCE_TYPE_SM};
  resource.sm.smCount = count;
  resource.sm.minSmPartitionSize = resource.sm.smCoscheduledAlignment = PARTITION;
  return resource;
}

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, CUdevResourceType type) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(resource);
  GPM_CU_DEVICE(device);
  if (type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
  *resource = multiprocessors(SMS);
  return CUDA_SUCCESS;
}

CUresult cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *nbGroups,
                                     const CUdevResource *input, CUdevResource *remaining,
                                     unsigned int useFlags, unsigned int minCount) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(nbGroups && input && input->type == CU_DEV_RESOURCE_TYPE_SM && !(useFlags & ~3u));
  unsigned each = (unsigned)gpm_sim_round_up(minCount ? minCount : 1, PARTITION);
  unsigned most = input->sm.smCount / each;
  if (!most) return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
  if (result && *nbGroups < most) most = *nbGroups;
  for (unsigned i = 0; result && i < most; i++) result[i] = multiprocessors(each);
  if (remaining) *remaining = multiprocessors(input->sm.smCount - most * each);
  *nbGroups = most;
  return CUDA_SUCCESS;
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *phDesc, CUdevResource *resources,
                                   unsigned int nbResources) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(phDesc && resources && nbResources);
  unsigned count = 0;
  for (unsigned i = 0; i < nbResources; i++) {
    if (resources[i].type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    count += resources[i].sm.smCount;
  }
  struct CUdevResourceDesc_st *made = gpm_sim_object_create(GPM_SIM_RESOURCE, sizeof *made, NULL);
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  made->resource = multiprocessors(count);
  *phDesc = made;
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxCreate(CUgreenCtx *phCtx, CUdevResourceDesc desc, CUdevice dev,
                          unsigned int flags) {
  GPM_CU_BEGIN;
  struct CUdevResourceDesc_st *d = gpm_sim_object_get(desc, GPM_SIM_RESOURCE);
  GPM_CU_REQUIRE(phCtx && d && flags == CU_GREEN_CTX_DEFAULT_STREAM);
  GPM_CU_DEVICE(dev);
  GPM_SIM_LOCKED;
  struct green *made = gpm_sim_object_create(GPM_SIM_GREEN, sizeof *made, NULL);
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  made->context = gpm_sim_context_green(dev);
  made->resource = d->resource;
  if (!made->context) {
    gpm_sim_object_destroy(made);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *phCtx = (CUgreenCtx)made;
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxDestroy(CUgreenCtx hCtx) {
  GPM_CU_BEGIN;
  GPM_SIM_LOCKED;
  struct green *green = green_get(hCtx);
  if (!green) return CUDA_ERROR_INVALID_HANDLE;
  int device = green->context->device;
  gpm_sim_context_destroy(green->context);
  gpm_sim_object_destroy(green);
  return cuDevicePrimaryCtxRelease_v2(device);
}

CUresult cuCtxFromGreenCtx(CUcontext *pContext, CUgreenCtx hCtx) {
  GPM_CU_BEGIN;
  struct green *green = green_get(hCtx);
  if (!green) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(pContext);
  *pContext = (CUcontext)green->context;
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource *resource,
                                  CUdevResourceType type) {
  GPM_CU_BEGIN;
  struct green *green = green_get(hCtx);
  if (!green) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(resource);
  if (type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
  *resource = green->resource;
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxStreamCreate(CUstream *phStream, CUgreenCtx greenCtx, unsigned int flags,
                                int priority) {
  GPM_CU_BEGIN;
  struct green *green = green_get(greenCtx);
  if (!green) return CUDA_ERROR_INVALID_HANDLE;
  GPM_CU_REQUIRE(phStream && flags == CU_STREAM_NON_BLOCKING);
  struct gpm_sim_stream *stream = gpm_sim_stream_create(flags, priority);
  if (!stream) return CUDA_ERROR_OUT_OF_MEMORY;
  stream->object.context = green->context;
  *phStream = (CUstream)stream;
  return CUDA_SUCCESS;
}
