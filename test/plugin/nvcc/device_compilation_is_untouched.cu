// REQUIRES: cuda-toolkit, llvm-22
// The device side of a CUDA file is bit for bit what it is without the plugin.
// RUN: %clangxx --cuda-path=%cuda-home --cuda-gpu-arch=sm_90 --cuda-device-only -O2 -S %s -o %t.plain.s
// RUN: %clangxx %gmp --cuda-path=%cuda-home --cuda-gpu-arch=sm_90 --cuda-device-only -O2 -S %s -o %t.s
// RUN: cmp %t.plain.s %t.s
// RUN: %clangxx %gmp --cuda-path=%cuda-home --cuda-gpu-arch=sm_90 --cuda-host-only -O2 -S -emit-llvm %s -o - | FileCheck %s
// CHECK: \00p\00float\00n * sizeof(float)\00
__attribute__((gpumemprof_profile)) __host__ __device__ float twice(float x) { return 2 * x; }
__global__ void kernel(float *p) { p[threadIdx.x] = twice(p[threadIdx.x]); }
int main() {
  float *p;
  size_t n = 32;
  // CHECK-DAG: call {{.*}}i32 @__gpumemprof_thunk.cudaMalloc
  cudaMalloc(&p, n * sizeof(float));
  kernel<<<1, 32>>>(p);
  cudaFree(p);
}
