// Variables in device memory: charged where they are declared, to no scope, and no leak.
#include <cuda_runtime.h>

__device__ float table[1000];
__constant__ int limits[16];
namespace inner {
static __device__ double hidden[32];
}
#ifdef __NVCC__ // clang has no __managed__ for CUDA
__managed__
#else
__device__
#endif
    int shared_counter[8];

__global__ void use(float *out) {
  out[0] = table[1] + (float)limits[2] + (float)inner::hidden[3] + (float)shared_counter[4];
}

int main() {
  float *out = nullptr;
  if (cudaMalloc(&out, 4096)) return 1;
  void *hidden = nullptr; // clang does not register what is static and only kernels use
  if (cudaGetSymbolAddress(&hidden, inner::hidden)) return 2;
  use<<<1, 1>>>(out);
  return cudaFree(out);
}
