/* cuda12.c - what only CUDA 12 has: see cuda12.h. */
#include "base/lock.h"
#include "base/options.h"
#include "cuda12/properties.h"
#include "runtime_api/cudart.h"

#include <stdio.h>
#include <string.h>

/* Bytes of the structures that are larger in 13, and the offset where those of CUDA 11 ended. */
enum { POINTER = 24, RESOURCE = 64, VIEW = 48, PROPERTIES_11 = 728 };
_Static_assert(sizeof(struct gpm_cudart12_properties) == 1032, "as in CUDA 12");

/* ---- fewer parameters ---------------------------------------------------------------------------
 */

#undef cudaGraphAddDependencies
#undef cudaGraphAddNode
#undef cudaGraphNodeGetDependencies
#undef cudaMemAdvise
#undef cudaMemPrefetchAsync
#undef cudaMemPrefetchAsync_ptsz
#undef cudaStreamGetCaptureInfo
#undef cudaStreamGetCaptureInfo_ptsz

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count) {
  return cudaGraphAddDependencies_v2(graph, from, to, NULL, count);
}

/* A node with memory is added by the driver's form with as many parameters. */
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                             size_t count, struct cudaGraphNodeParams *params);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                             size_t count, struct cudaGraphNodeParams *params) {
  GPM_CUDART_BEGIN;
  GPM_CUDART_REQUIRE(params);
  if (params->type != cudaGraphNodeTypeMemAlloc && params->type != cudaGraphNodeTypeMemFree &&
      params->type != cudaGraphNodeTypeGraph)
    return cudaGraphAddNode_v2(node, graph, after, NULL, count, params);
  return gpm_cudart_end((int)gpm_sim_cuGraphAddNode((CUgraphNode *)node, (CUgraph)graph,
                                                    (const CUgraphNode *)after, count,
                                                    (CUgraphNodeParams *)(void *)params));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                                         size_t *count);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                                         size_t *count) {
  return cudaGraphNodeGetDependencies_v2(node, dependencies, NULL, count);
}

static struct cudaMemLocation location_of(int device) {
  bool host = device == cudaCpuDeviceId;
  return (struct cudaMemLocation){host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                                  host ? 0 : device};
}

cudaError_t cudaMemAdvise(const void *p, size_t count, enum cudaMemoryAdvise advice, int device);
cudaError_t cudaMemAdvise(const void *p, size_t count, enum cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise_v2(p, count, advice, location_of(device));
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t count, int device, cudaStream_t stream);
cudaError_t cudaMemPrefetchAsync(const void *p, size_t count, int device, cudaStream_t stream) {
  return cudaMemPrefetchAsync_v2(p, count, location_of(device), 0, stream);
}
GPM_CUDART_ALIAS(cudaMemPrefetchAsync, _ptsz);

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **dependencies, size_t *count);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **dependencies, size_t *count) {
  return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, NULL, count);
}
GPM_CUDART_ALIAS(cudaStreamGetCaptureInfo_v2, _ptsz);

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id) {
  return cudaStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL);
}
GPM_CUDART_ALIAS(cudaStreamGetCaptureInfo, _ptsz);

/* ---- smaller structures -------------------------------------------------------------------------
 */

static cudaError_t properties(struct gpm_cudart12_properties *p, size_t size, int device) {
  GPM_CUDART_REQUIRE(p);
  GPM_CUDART_DRIVER;
  struct gpm_sim_device *d = gpm_sim_device(device);
  if (!d) return gpm_cudart_end(cudaErrorInvalidDevice);
  int value = 0;
  struct gpm_cudart12_properties made = {.totalGlobalMem = d->space.capacity,
                                         .pciBusID = device + 1};
#define GPM_SIM_ATTRIBUTE(number, value)
#define GPM_SIM_PROPERTY(number, unused, field)                                                    \
  gpm_sim_attribute(device, number, &value);                                                       \
  made.field = (__typeof__(made.field))value;
#define GPM_SIM_PROPERTY_12 GPM_SIM_PROPERTY
#define GPM_SIM_PROPERTY_13(number, value, field)
#include "device/attributes.def"
  snprintf(made.name, sizeof made.name, "%s", gpm_sim_options()->name);
  gpm_sim_device_uuid(device, made.uuid.bytes);
  memcpy(p, &made, size);
  return gpm_cudart_end(cudaSuccess);
}

#undef cudaGetDeviceProperties
cudaError_t cudaGetDeviceProperties_v2(struct gpm_cudart12_properties *p, int device);
cudaError_t cudaGetDeviceProperties_v2(struct gpm_cudart12_properties *p, int device) {
  return properties(p, sizeof *p, device);
}

/* Programs that were compiled with CUDA 11 call this one. */
cudaError_t cudaGetDeviceProperties(struct gpm_cudart12_properties *p, int device);
cudaError_t cudaGetDeviceProperties(struct gpm_cudart12_properties *p, int device) {
  return properties(p, PROPERTIES_11, device);
}

#undef cudaPointerGetAttributes
cudaError_t cudaPointerGetAttributes(void *attributes, const void *p);
cudaError_t cudaPointerGetAttributes(void *attributes, const void *p) {
  struct cudaPointerAttributes found;
  GPM_CUDART_REQUIRE(attributes);
  cudaError_t error = gpm_cudart13_PointerGetAttributes(&found, p);
  if (!error) memcpy(attributes, &found, POINTER);
  return error;
}

static const struct cudaResourceDesc *resource_of(const void *given, struct cudaResourceDesc *all) {
  memset(all, 0, sizeof *all);
  return given ? memcpy(all, given, RESOURCE) : NULL;
}

#undef cudaCreateTextureObject
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const void *resource,
                                    const struct cudaTextureDesc *texture, const void *view);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const void *resource,
                                    const struct cudaTextureDesc *texture, const void *view) {
  struct cudaResourceDesc all;
  struct cudaResourceViewDesc all_of_view = {.format = cudaResViewFormatNone};
  if (view) memcpy(&all_of_view, view, VIEW);
  return gpm_cudart13_CreateTextureObject(object, resource_of(resource, &all), texture,
                                          view ? &all_of_view : NULL);
}

#undef cudaCreateSurfaceObject
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const void *resource);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const void *resource) {
  struct cudaResourceDesc all;
  return gpm_cudart13_CreateSurfaceObject(object, resource_of(resource, &all));
}

#undef cudaGetTextureObjectResourceDesc
cudaError_t cudaGetTextureObjectResourceDesc(void *resource, cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectResourceDesc(void *resource, cudaTextureObject_t object) {
  struct cudaResourceDesc all;
  GPM_CUDART_REQUIRE(resource);
  cudaError_t error = gpm_cudart13_GetTextureObjectResourceDesc(&all, object);
  if (!error) memcpy(resource, &all, RESOURCE);
  return error;
}

#undef cudaGetSurfaceObjectResourceDesc
cudaError_t cudaGetSurfaceObjectResourceDesc(void *resource, cudaSurfaceObject_t object);
cudaError_t cudaGetSurfaceObjectResourceDesc(void *resource, cudaSurfaceObject_t object) {
  return cudaGetTextureObjectResourceDesc(resource, object);
}

#undef cudaGetTextureObjectResourceViewDesc
cudaError_t cudaGetTextureObjectResourceViewDesc(void *view, cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectResourceViewDesc(void *view, cudaTextureObject_t object) {
  struct cudaResourceViewDesc all;
  GPM_CUDART_REQUIRE(view);
  cudaError_t error = gpm_cudart13_GetTextureObjectResourceViewDesc(&all, object);
  if (!error) memcpy(view, &all, VIEW);
  return error;
}

/* ---- dropped by 13 ------------------------------------------------------------------------------
 */

#define OTHER_NAME(name, other) extern __typeof__(other) name __attribute__((alias(#other)))

static cudaError_t exit_thread(void) {
  return cudaDeviceReset();
}
static cudaError_t synchronize(void) {
  return cudaDeviceSynchronize();
}
static cudaError_t set_limit(enum cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
static cudaError_t get_limit(size_t *value, enum cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
static cudaError_t set_cache(enum cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}
static cudaError_t get_cache(enum cudaFuncCache *config) {
  return cudaDeviceGetCacheConfig(config);
}
static cudaError_t elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}
static cudaError_t set_double(double *value) { /* every device has doubles */
  GPM_CUDART_REQUIRE(value);
  return gpm_cudart_end(cudaSuccess);
}

OTHER_NAME(cudaThreadExit, exit_thread);
OTHER_NAME(cudaThreadSynchronize, synchronize);
OTHER_NAME(cudaThreadSetLimit, set_limit);
OTHER_NAME(cudaThreadGetLimit, get_limit);
OTHER_NAME(cudaThreadSetCacheConfig, set_cache);
OTHER_NAME(cudaThreadGetCacheConfig, get_cache);
OTHER_NAME(cudaSetDoubleForDevice, set_double);
OTHER_NAME(cudaSetDoubleForHost, set_double);
OTHER_NAME(cudaEventElapsedTime_v2, elapsed);

/* ---- not simulated ------------------------------------------------------------------------------
 */

#undef cudaGraphGetEdges
#undef cudaGraphNodeGetDependentNodes
#undef cudaGraphRemoveDependencies
#undef cudaSignalExternalSemaphoresAsync
#undef cudaSignalExternalSemaphoresAsync_ptsz
#undef cudaStreamUpdateCaptureDependencies
#undef cudaStreamUpdateCaptureDependencies_ptsz
#undef cudaWaitExternalSemaphoresAsync
#undef cudaWaitExternalSemaphoresAsync_ptsz

#define STUB(symbol)                                                                               \
  int symbol(void);                                                                                \
  int symbol(void) {                                                                               \
    return gpm_sim_thread()->last_error = gpm_sim_unsupported(#symbol);                            \
  }
STUB(cudaGraphGetEdges)
STUB(cudaGraphNodeGetDependentNodes)
STUB(cudaGraphRemoveDependencies)
STUB(cudaLaunchCooperativeKernelMultiDevice)
STUB(cudaSignalExternalSemaphoresAsync)
STUB(cudaSignalExternalSemaphoresAsync_ptsz)
STUB(cudaStreamUpdateCaptureDependencies)
STUB(cudaStreamUpdateCaptureDependencies_ptsz)
STUB(cudaWaitExternalSemaphoresAsync)
STUB(cudaWaitExternalSemaphoresAsync_ptsz)
