/* A library that operands.cpp loads and closes. */
#include <cuda_runtime.h>

void take(unsigned n);
void take(unsigned n) {
  void *p;
  cudaMalloc(&p, n * 2);
  cudaFree(p);
}
