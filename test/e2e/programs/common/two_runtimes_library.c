#include <cuda_runtime_api.h>

int work(void);
int work(void) {
  void *p;
  return cudaMalloc(&p, 2 << 20) || cudaFree(p);
}
