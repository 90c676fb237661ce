/* bench_cuda.h - the few CUDA declarations the benchmark sources need, so that bench/ runs without
 * the CUDA toolkit. Found with -isystem, as CUDA's own headers are: its templates are no user code.
 */
#ifndef BENCH_CUDA_H
#define BENCH_CUDA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
struct cudaMemPoolProps;
enum cudaMemcpyKind {
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3
};

cudaError_t cudaMalloc(void **p, size_t n);
cudaError_t cudaFree(void *p);
cudaError_t cudaMallocHost(void **p, size_t n);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaMallocManaged(void **p, size_t n, unsigned flags);
cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind);
cudaError_t cudaMemset(void *p, int value, size_t n);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t error);

#ifdef __cplusplus
}

template <class T> static inline cudaError_t cudaMalloc(T **p, size_t n) {
  return cudaMalloc(reinterpret_cast<void **>(p), n);
}
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t n) {
  return cudaMallocHost(reinterpret_cast<void **>(p), n);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **p, size_t n, unsigned flags = 1) {
  return cudaMallocManaged(reinterpret_cast<void **>(p), n, flags);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t n, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void **>(p), n, stream);
}
#endif

#endif /* BENCH_CUDA_H */
