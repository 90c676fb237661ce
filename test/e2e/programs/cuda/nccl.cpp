// Stands for NCCL: a library that was not rebuilt.
#include <cuda_runtime.h>

extern "C" int ncclMemAlloc(void **p, size_t n) {
  return cudaMalloc(p, n) ? 1 : 0;
}
extern "C" int ncclMemFree(void *p) {
  return cudaFree(p) ? 1 : 0;
}
