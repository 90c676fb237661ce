/* cuda_runtime.h - the runtime API with its C++ conveniences: typed pointers instead of void **. */
#ifndef GPUMEMPROF_SIM_CUDA_RUNTIME_H
#define GPUMEMPROF_SIM_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* programs ask whether it is included by the toolkit's name */

/* System headers: their small functions are the calling line, as those of the toolkit. */
#pragma GCC system_header

#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "vector_functions.h"

#ifdef __cplusplus

template <class T> static inline cudaError_t cudaMalloc(T **p, size_t size) {
  return ::cudaMalloc((void **)(void *)p, size);
}

template <class T>
static inline cudaError_t cudaMallocHost(T **p, size_t size, unsigned int flags = 0) {
  return ::cudaHostAlloc((void **)(void *)p, size, flags);
}

template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t size, unsigned int flags) {
  return ::cudaHostAlloc((void **)(void *)p, size, flags);
}

template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **p, void *host, unsigned int flags) {
  return ::cudaHostGetDevicePointer((void **)(void *)p, host, flags);
}

template <class T>
static inline cudaError_t cudaMallocManaged(T **p, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void **)(void *)p, size, flags);
}

template <class T>
static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) {
  return ::cudaMallocPitch((void **)(void *)p, pitch, width, height);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync((void **)(void *)p, size, stream);
}

/* Overloads that take the pool are cudaMallocFromPoolAsync by another name. */
static inline cudaError_t cudaMallocAsync(void **p, size_t size, cudaMemPool_t pool,
                                          cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(p, size, pool, stream);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaMemPool_t pool,
                                          cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream);
}

template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t size, cudaMemPool_t pool,
                                                  cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream);
}

template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t length = 0,
                                                   unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, reinterpret_cast<void *>(p), length, flags);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}

/* The forms of CUDA 11 and before. */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                               cudaGraphNode_t *error_node, char *log,
                                               size_t log_size) {
  (void)error_node, (void)log, (void)log_size;
  return ::cudaGraphInstantiate(exec, graph, 0);
}

static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                              cudaGraphNode_t *error_node,
                                              enum cudaGraphExecUpdateResult *result) {
  cudaGraphExecUpdateResultInfo info;
  cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
  if (error_node) *error_node = info.errorNode;
  if (result) *result = info.result;
  return error;
}

#include "gpumemprof_sim/typed_kernels.h"
#include "gpumemprof_sim/typed_symbols.h"

#endif /* __cplusplus */

#endif /* GPUMEMPROF_SIM_CUDA_RUNTIME_H */
