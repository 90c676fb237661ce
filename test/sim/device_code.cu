// device_code.cu - a program with kernels and variables, as nvcc and clang register them.
// toolkit.py builds it with each and expects exactly these lines on the simulated device.
#include <cstdio>
#include <cuda_runtime.h>

__constant__ float factors[16];
__device__ int counter;

template <class T> __global__ void scale(T *p, int n) {
  int i = threadIdx.x;
  if (i < n) p[i] *= T(factors[i & 15]);
}

int main() {
  float *p, in[16] = {1, 2, 3}, out[16] = {};
  int zero = 0, seen = -1, blocks = 0;
  cudaFuncAttributes attributes;
  cudaMalloc(&p, 1 << 20);
  printf("to symbol: %s\n", cudaGetErrorString(cudaMemcpyToSymbol(factors, in, sizeof in)));
  cudaMemcpyFromSymbol(out, factors, sizeof out);
  printf("factor 2: %g\n", out[2]);
  cudaMemcpyToSymbol(counter, &zero, sizeof zero);
  cudaMemcpyFromSymbol(&seen, counter, sizeof seen);
  printf("counter: %d\n", seen);
  scale<<<1, 32>>>(p, 32);
  printf("launch: %s\n", cudaGetErrorString(cudaGetLastError()));
  scale<<<1, 32>>>(reinterpret_cast<double *>(p), 32);
  printf("launch of double: %s\n", cudaGetErrorString(cudaGetLastError()));
  scale<<<1, 2000>>>(p, 32);
  printf("launch of 2000 threads: %s\n", cudaGetLastError() ? "refused" : "accepted");
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale<float>, 256, 0);
  printf("blocks: %d\n", blocks);
  printf("attributes: %s\n", cudaGetErrorString(cudaFuncGetAttributes(&attributes, scale<float>)));
  printf("free: %s\n", cudaGetErrorString(cudaFree(p)));
  printf("second free: %s\n", cudaGetErrorString(cudaFree(p)));
}
