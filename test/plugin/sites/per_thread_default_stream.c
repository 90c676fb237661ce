// RUN: %clang %gmp -DCUDA_API_PER_THREAD_DEFAULT_STREAM -O2 %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | FileCheck %s
#include "../Inputs/cuda.h"
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM /* as cuda_runtime_api.h does */
#define cudaMallocAsync cudaMallocAsync_ptsz
#define cudaFreeAsync cudaFreeAsync_ptsz
#endif
cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t s);
cudaError_t cudaFreeAsync(void *p, cudaStream_t s);
int main(void) {
  float *d;
  cudaMallocAsync((void **)&d, 2 * sizeof *d, NULL);
  cudaFreeAsync(d, NULL);
  // CHECK: flags=2 {{.*}} calls cudaMallocAsync_ptsz variable=[d] type=[float] size=[2 * sizeof *d] {{.*}} (of CUDA)
  // CHECK: cudaMallocAsync_ptsz 8: main:[[#@LINE-3]]
  // CHECK: cudaFreeAsync_ptsz 0: main:[[#@LINE-3]]
  return 0;
}
