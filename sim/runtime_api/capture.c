/* capture.c - stream capture, and graphs that are made executable and launched. */
#include "base/lock.h"
#include "base/object.h"
#include "runtime_api/cudart.h"

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  GPM_CUDART_REQUIRE(mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed);
  return gpm_cudart_end(gpm_sim_capture_begin(stream, (int)mode));
}
GPM_CUDART_ALIAS(cudaStreamBeginCapture, _ptsz);

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph) {
  GPM_CUDART_REQUIRE(pGraph);
  return gpm_cudart_end(gpm_sim_capture_end(stream, (struct gpm_sim_graph **)pGraph));
}
GPM_CUDART_ALIAS(cudaStreamEndCapture, _ptsz);

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
  struct gpm_sim_graph *g = gpm_sim_object_get(graph, GPM_SIM_GRAPH);
  GPM_CUDART_REQUIRE(pGraphExec && g);
  GPM_CUDART_BEGIN;
  return gpm_cudart_end(gpm_sim_graph_instantiate(g, flags, (struct gpm_sim_graph **)pGraphExec));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(pGraphExec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *instantiateParams) {
  GPM_CUDART_REQUIRE(instantiateParams);
  cudaError_t error = cudaGraphInstantiateWithFlags(pGraphExec, graph, instantiateParams->flags);
  instantiateParams->errNode_out = NULL;
  instantiateParams->result_out = error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
  return error;
}
GPM_CUDART_ALIAS(cudaGraphInstantiateWithParams, _ptsz);

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags) {
  struct gpm_sim_graph *exec = exec_get(graphExec);
  GPM_CUDART_REQUIRE(exec && flags);
  *flags = exec->flags;
  return gpm_cudart_end(cudaSuccess);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
  struct gpm_sim_graph *exec = exec_get(graphExec);
  GPM_CUDART_REQUIRE(exec);
  return gpm_cudart_end(gpm_sim_graph_upload(exec, stream));
}
GPM_CUDART_ALIAS(cudaGraphUpload, _ptsz);

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
  struct gpm_sim_graph *exec = exec_get(graphExec);
  GPM_CUDART_REQUIRE(exec);
  GPM_CUDART_BEGIN;
  return gpm_cudart_end(gpm_sim_graph_launch(exec, stream));
}
GPM_CUDART_ALIAS(cudaGraphLaunch, _ptsz);

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  struct gpm_sim_graph *exec = exec_get(graphExec);
  GPM_CUDART_REQUIRE(exec);
  gpm_sim_object_destroy(exec);
  return gpm_cudart_end(cudaSuccess);
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
