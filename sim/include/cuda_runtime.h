/* cuda_runtime.h - the runtime API with its C++ conveniences: typed pointers instead of void **. */
#ifndef GPUMEMPROF_SIM_CUDA_RUNTIME_H
#define GPUMEMPROF_SIM_CUDA_RUNTIME_H

/* System headers: their small functions are the calling line, as those of the toolkit. */
#pragma GCC system_header

#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "vector_functions.h"

#ifdef __cplusplus

template <class T> static inline cudaError_t cudaMalloc(T **p, size_t size) {
  return ::cudaMalloc(reinterpret_cast<void **>(p), size);
}

template <class T>
static inline cudaError_t cudaMallocHost(T **p, size_t size, unsigned int flags = 0) {
  return ::cudaHostAlloc(reinterpret_cast<void **>(p), size, flags);
}

template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(reinterpret_cast<void **>(p), size, flags);
}

template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **p, void *host, unsigned int flags) {
  return ::cudaHostGetDevicePointer(reinterpret_cast<void **>(p), host, flags);
}

template <class T>
static inline cudaError_t cudaMallocManaged(T **p, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(reinterpret_cast<void **>(p), size, flags);
}

template <class T>
static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) {
  return ::cudaMallocPitch(reinterpret_cast<void **>(p), pitch, width, height);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync(reinterpret_cast<void **>(p), size, stream);
}

/* Overloads that take the pool are cudaMallocFromPoolAsync by another name. */
static inline cudaError_t cudaMallocAsync(void **p, size_t size, cudaMemPool_t pool,
                                          cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(p, size, pool, stream);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaMemPool_t pool,
                                          cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void **>(p), size, pool, stream);
}

template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t size, cudaMemPool_t pool,
                                                  cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void **>(p), size, pool, stream);
}

template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t length = 0,
                                                   unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, reinterpret_cast<void *>(p), length, flags);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}

template <class T>
static inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                           size_t shared = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchKernel(reinterpret_cast<const void *>(function), grid, block, arguments,
                            shared, stream);
}

template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block,
                                                      void **arguments, size_t shared = 0,
                                                      cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(function), grid, block,
                                       arguments, shared, stream);
}

template <class T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                                T *function) {
  return ::cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(function));
}

template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *function, enum cudaFuncAttribute attribute,
                                               int value) {
  return ::cudaFuncSetAttribute(reinterpret_cast<const void *>(function), attribute, value);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function,
                                                                        int block_size,
                                                                        size_t shared) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, reinterpret_cast<const void *>(function), block_size, shared);
}

#endif /* __cplusplus */

#endif /* GPUMEMPROF_SIM_CUDA_RUNTIME_H */
