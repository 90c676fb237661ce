/* capture.c - stream capture, and graphs that are made executable and launched. */
#include "base/lock.h"
#include "base/object.h"
#include "runtime_api/cudart.h"

/* The functions that are reported to a listener, for either default stream: suffix is _ptsz or
 * nothing.
 */
#define WITH_STREAM(suffix)                                                                        \
  cudaError_t cudaStreamBeginCapture##suffix(cudaStream_t stream,                                  \
                                             enum cudaStreamCaptureMode mode) {                    \
    GPM_CUDART_BEGIN;                                                                              \
    return gpm_cudart_end((int)gpm_sim_cuStreamBeginCapture_v2##suffix(                            \
        (CUstream)stream, (CUstreamCaptureMode)mode));                                             \
  }                                                                                                \
  cudaError_t cudaStreamEndCapture##suffix(cudaStream_t stream, cudaGraph_t *graph) {              \
    GPM_CUDART_BEGIN;                                                                              \
    return gpm_cudart_end(                                                                         \
        (int)gpm_sim_cuStreamEndCapture##suffix((CUstream)stream, (CUgraph *)graph));              \
  }                                                                                                \
  cudaError_t cudaGraphInstantiateWithParams##suffix(cudaGraphExec_t *exec, cudaGraph_t graph,     \
                                                     cudaGraphInstantiateParams *params) {         \
    GPM_CUDART_BEGIN;                                                                              \
    return gpm_cudart_end((int)gpm_sim_cuGraphInstantiateWithParams##suffix(                       \
        (CUgraphExec *)exec, (CUgraph)graph, (CUDA_GRAPH_INSTANTIATE_PARAMS *)(void *)params));    \
  }                                                                                                \
  cudaError_t cudaGraphUpload##suffix(cudaGraphExec_t exec, cudaStream_t stream) {                 \
    GPM_CUDART_BEGIN;                                                                              \
    return gpm_cudart_end(                                                                         \
        (int)gpm_sim_cuGraphUpload##suffix((CUgraphExec)exec, (CUstream)stream));                  \
  }                                                                                                \
  cudaError_t cudaGraphLaunch##suffix(cudaGraphExec_t exec, cudaStream_t stream) {                 \
    GPM_CUDART_BEGIN;                                                                              \
    return gpm_cudart_end(                                                                         \
        (int)gpm_sim_cuGraphLaunch##suffix((CUgraphExec)exec, (CUstream)stream));                  \
  }

_Static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS), "same");
extern __typeof__(cudaStreamBeginCapture) cudaStreamBeginCapture_ptsz;
extern __typeof__(cudaStreamEndCapture) cudaStreamEndCapture_ptsz;
extern __typeof__(cudaGraphInstantiateWithParams) cudaGraphInstantiateWithParams_ptsz;
extern __typeof__(cudaGraphUpload) cudaGraphUpload_ptsz;
extern __typeof__(cudaGraphLaunch) cudaGraphLaunch_ptsz;
WITH_STREAM()
WITH_STREAM(_ptsz)

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *pCaptureStatus) {
  GPM_CUDART_REQUIRE(pCaptureStatus);
  struct gpm_sim_stream *s = gpm_sim_stream_get(stream);
  if (!s) return gpm_cudart_end(cudaErrorInvalidResourceHandle);
  *pCaptureStatus = s->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return gpm_cudart_end(cudaSuccess);
}
GPM_CUDART_ALIAS(cudaStreamIsCapturing, _ptsz);

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     enum cudaStreamCaptureStatus *captureStatus_out,
                                     unsigned long long *id_out, cudaGraph_t *graph_out,
                                     const cudaGraphNode_t **dependencies_out,
                                     const cudaGraphEdgeData **edgeData_out,
                                     size_t *numDependencies_out) {
  cudaError_t error = cudaStreamIsCapturing(stream, captureStatus_out);
  if (error) return error;
  GPM_SIM_LOCKED;
  struct gpm_sim_stream *s = gpm_sim_stream_get(stream);
  if (edgeData_out) *edgeData_out = NULL;
  if (!s->capture) return gpm_cudart_end(cudaSuccess);
  if (id_out) *id_out = s->capture_id;
  if (graph_out) *graph_out = (cudaGraph_t)s->capture;
  if (dependencies_out) *dependencies_out = (const cudaGraphNode_t *)(void *)&s->capture->last;
  if (numDependencies_out) *numDependencies_out = s->capture->last != NULL;
  return gpm_cudart_end(cudaSuccess);
}
GPM_CUDART_ALIAS(cudaStreamGetCaptureInfo, _ptsz);

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  GPM_CUDART_REQUIRE(mode && *mode >= cudaStreamCaptureModeGlobal &&
                     *mode <= cudaStreamCaptureModeRelaxed);
  struct gpm_sim_thread *thread = gpm_sim_thread();
  int before = thread->capture_mode;
  thread->capture_mode = (int)*mode;
  *mode = (enum cudaStreamCaptureMode)before;
  return gpm_cudart_end(cudaSuccess);
}

static struct gpm_sim_graph *exec_get(cudaGraphExec_t exec) {
  return gpm_sim_object_get(exec, GPM_SIM_EXEC);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags) {
  GPM_CUDART_BEGIN;
  return gpm_cudart_end(
      (int)gpm_sim_cuGraphInstantiateWithFlags((CUgraphExec *)pGraphExec, (CUgraph)graph, flags));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(pGraphExec, graph, flags);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags) {
  struct gpm_sim_graph *exec = exec_get(graphExec);
  GPM_CUDART_REQUIRE(exec && flags);
  *flags = exec->flags;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  GPM_CUDART_DRIVER;
  return gpm_cudart_end((int)gpm_sim_cuGraphExecDestroy((CUgraphExec)graphExec));
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo *resultInfo) {
  struct gpm_sim_graph *exec = exec_get(hGraphExec);
  struct gpm_sim_graph *graph = gpm_sim_object_get(hGraph, GPM_SIM_GRAPH);
  GPM_CUDART_REQUIRE(exec && graph && resultInfo);
  struct gpm_sim_node *wrong = NULL;
  int status = 0, error = gpm_sim_graph_update(exec, graph, &status, &wrong);
  *resultInfo = (cudaGraphExecUpdateResultInfo){(enum cudaGraphExecUpdateResult)status,
                                                (cudaGraphNode_t)wrong, NULL};
  return gpm_cudart_end(error);
}
