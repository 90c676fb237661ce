#include <cuda_runtime.h>

__global__ void fill(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 1.0f;
}

int main() {
  float *kept;
  cudaMalloc(&kept, 4096);
  fill<<<4, 256>>>(kept, 1024);
  return cudaDeviceSynchronize();
}
