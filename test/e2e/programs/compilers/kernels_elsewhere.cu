// kernels_elsewhere.cu - the other file of kernels.cu. It launches an instance of the template that
// both have.
#include "kernels.h"

#include <cstdio>

static __constant__ int limits[16];

__global__ void use(int *p) {
  p[0] = limits[3];
}

void elsewhere(int n) {
  kept data(n);
  int zero[16] = {};
  cudaMemcpyToSymbolAsync(limits, zero, sizeof zero);
  scale<<<1, 256>>>(data.p, 3.0f, n);
  use<<<1, 1>>>(nullptr);
  printf("elsewhere: %s\n", cudaGetErrorString(cudaGetLastError()));
}
