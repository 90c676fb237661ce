/* context.c - contexts of the driver API. */
#include "base/lock.h"
#include "driver_api/cudrv.h"

/* Older forms of cuCtxCreate, kept for programs linked against them. */
CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev);
CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
                        unsigned int flags, CUdevice dev);

CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(pctx && !(flags & ~(unsigned)CU_CTX_FLAGS_MASK));
  GPM_CU_DEVICE(dev);
  struct gpm_sim_context *context = gpm_sim_context_create(dev, flags);
  if (!context) return CUDA_ERROR_OUT_OF_MEMORY;
  int error = gpm_sim_context_push(context);
  if (error) gpm_sim_context_destroy(context);
  else *pctx = (CUcontext)context;
  return (CUresult)error;
}

CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
                        unsigned int flags, CUdevice dev) {
  GPM_CU_REQUIRE(!paramsArray == !numParams);
  return cuCtxCreate_v2(pctx, flags, dev);
}

CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags,
                        CUdevice dev) {
  (void)ctxCreateParams;
  return cuCtxCreate_v2(pctx, flags, dev);
}

CUresult cuCtxDestroy_v2(CUcontext ctx) {
  GPM_CU_BEGIN;
  struct gpm_sim_context *context = gpm_sim_context_get(ctx);
  if (!context) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (context->primary || context->green) return CUDA_ERROR_INVALID_CONTEXT;
  gpm_sim_context_destroy(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext ctx) {
  GPM_CU_BEGIN;
  struct gpm_sim_context *context = gpm_sim_context_get(ctx);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  return (CUresult)gpm_sim_context_push(context);
}

CUresult cuCtxPopCurrent_v2(CUcontext *pctx) {
  GPM_CU_BEGIN;
  struct gpm_sim_thread *thread = gpm_sim_thread();
  if (!thread->depth) return CUDA_ERROR_INVALID_CONTEXT;
  struct gpm_sim_context *context = thread->stack[--thread->depth];
  if (pctx) *pctx = (CUcontext)context;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext ctx) {
  GPM_CU_BEGIN;
  struct gpm_sim_context *context = gpm_sim_context_get(ctx);
  if (ctx && !context) return CUDA_ERROR_INVALID_CONTEXT;
  gpm_sim_context_set(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *pctx) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(pctx);
  *pctx = (CUcontext)gpm_sim_context_current();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(device);
  *device = gpm_sim_context_current()->device;
  return CUDA_SUCCESS;
}

/* The context that a call means: the given one or, if that is null, the current one. */
static struct gpm_sim_context *named(CUcontext ctx) {
  return ctx ? gpm_sim_context_get(ctx) : gpm_sim_context_current();
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(device);
  struct gpm_sim_context *context = named(ctx);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  *device = context->device;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize_v2(CUcontext ctx) {
  GPM_CU_BEGIN;
  if (!named(ctx)) return CUDA_ERROR_INVALID_CONTEXT;
  gpm_sim_pool_synchronize();
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
  return cuCtxSynchronize_v2(NULL);
}

CUresult cuCtxGetFlags(unsigned int *flags) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(flags);
  *flags = gpm_sim_context_current()->flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(!(flags & ~(unsigned)CU_CTX_FLAGS_MASK));
  gpm_sim_context_current()->flags = flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long *ctxId) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(ctxId);
  struct gpm_sim_context *context = named(ctx);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  *ctxId = context->id;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(version);
  if (!named(ctx)) return CUDA_ERROR_INVALID_CONTEXT;
  *version = 3020; /* the version of every context that the current API makes */
  return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  GPM_CU_CONTEXT;
  return (CUresult)gpm_sim_context_limit(gpm_sim_context_current(), (int)limit, value);
}

CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(pvalue);
  GPM_CU_REQUIRE(limit <= CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
  *pvalue = gpm_sim_context_current()->limits[limit];
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(pconfig);
  *pconfig = (CUfunc_cache)gpm_sim_context_current()->cache_config;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  GPM_CU_CONTEXT;
  gpm_sim_context_current()->cache_config = (int)config;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
  GPM_CU_CONTEXT;
  if (leastPriority) *leastPriority = 0;
  if (greatestPriority) *greatestPriority = -5;
  return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void) {
  GPM_CU_CONTEXT;
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  GPM_CU_CONTEXT;
  GPM_CU_REQUIRE(Flags == 0);
  struct gpm_sim_context *peer = gpm_sim_context_get(peerContext);
  struct gpm_sim_context *context = gpm_sim_context_current();
  if (!peer || peer->device == context->device) return CUDA_ERROR_INVALID_CONTEXT;
  GPM_SIM_LOCKED;
  uint64_t bit = UINT64_C(1) << peer->device;
  if (context->peers & bit) return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  context->peers |= bit;
  return CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
  GPM_CU_CONTEXT;
  struct gpm_sim_context *peer = gpm_sim_context_get(peerContext);
  if (!peer) return CUDA_ERROR_INVALID_CONTEXT;
  GPM_SIM_LOCKED;
  struct gpm_sim_context *context = gpm_sim_context_current();
  uint64_t bit = UINT64_C(1) << peer->device;
  if (!(context->peers & bit)) return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  context->peers &= ~bit;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(pctx);
  GPM_SIM_LOCKED;
  struct gpm_sim_context *primary = gpm_sim_context_primary(dev);
  if (!primary) return gpm_sim_device(dev) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_DEVICE;
  primary->retained++;
  *pctx = (CUcontext)primary;
  return CUDA_SUCCESS;
}

/* The last release ends the context. The runtime API's own use counts as one retain. */
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_DEVICE(dev);
  GPM_SIM_LOCKED;
  struct gpm_sim_context *primary = gpm_sim_device(dev)->primary;
  if (!primary || (!primary->retained && !primary->in_use)) return CUDA_ERROR_INVALID_CONTEXT;
  if (primary->retained) primary->retained--;
  else primary->in_use = false;
  if (!primary->retained && !primary->in_use) gpm_sim_context_destroy(primary);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  GPM_CU_BEGIN;
  GPM_CU_DEVICE(dev);
  GPM_SIM_LOCKED;
  struct gpm_sim_context *primary = gpm_sim_device(dev)->primary;
  gpm_sim_pool_synchronize();
  if (primary && primary->active) gpm_sim_context_destroy(primary);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(!(flags & ~(unsigned)CU_CTX_FLAGS_MASK));
  GPM_CU_DEVICE(dev);
  GPM_SIM_LOCKED;
  gpm_sim_context_primary(dev)->flags = flags;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active) {
  GPM_CU_BEGIN;
  GPM_CU_REQUIRE(flags && active);
  GPM_CU_DEVICE(dev);
  GPM_SIM_LOCKED;
  struct gpm_sim_context *primary = gpm_sim_device(dev)->primary;
  *active = primary && primary->active;
  *flags = primary ? primary->flags : 0;
  return CUDA_SUCCESS;
}
