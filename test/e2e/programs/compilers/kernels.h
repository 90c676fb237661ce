// kernels.h - a template of a kernel that both files of the program launch.
#pragma once
#include <cuda_runtime.h>

template <class T> __global__ void scale(T *p, T factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= factor;
}

struct kept {
  float *p = nullptr;
  explicit kept(int n) { cudaMalloc(&p, n * sizeof *p); }
  ~kept() { cudaFree(p); }
};

void elsewhere(int n);
