/* cuda.h - what the tests need of CUDA's headers, as a user of his own declarations writes it. */
#ifndef TEST_CUDA_H
#define TEST_CUDA_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef int cudaError_t;
typedef struct CUstream_st *cudaStream_t;
cudaError_t cudaMalloc(void **p, size_t n);
cudaError_t cudaMallocManaged(void **p, size_t n, unsigned flags);
cudaError_t cudaMallocHost(void **p, size_t n);
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t s);
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeAsync(void *p, cudaStream_t s);
cudaError_t cudaMemcpy(void *to, const void *from, size_t n, int kind);
cudaError_t cudaDeviceReset(void);
int fake_depth(void);
void fake_path(const char *label);
#ifdef __cplusplus
}
#endif
#endif
