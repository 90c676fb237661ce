// REQUIRES: cuda-toolkit, llvm-22
// The instructions of the device side of a CUDA file are bit for bit what they are without the plugin; beside them there is a kernel
// that does nothing, with a name that says what the others do. With uses=off there is none.
// RUN: %clangxx --cuda-path=%cuda-home --cuda-gpu-arch=sm_90 --cuda-device-only -O2 -S %s -o %t.plain.s
// RUN: %clangxx %gmp --cuda-path=%cuda-home --cuda-gpu-arch=sm_90 --cuda-device-only -O2 -S %s -o %t.s
// RUN: FileCheck %s --check-prefix=FACTS < %t.s
// RUN: sed '/__gpumemprof_facts/,/^}/d' %t.s | grep -v '^$' > %t.rest.s && sed '/-- End function/d' %t.rest.s > %t.rest && grep -v '^$' %t.plain.s | sed '/-- End function/d' | cmp - %t.rest
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-uses=off --cuda-path=%cuda-home --cuda-gpu-arch=sm_90 --cuda-device-only -O2 -S %s -o %t.off.s
// RUN: cmp %t.plain.s %t.off.s
// RUN: %clangxx %gmp --cuda-path=%cuda-home --cuda-gpu-arch=sm_90 --cuda-host-only -O2 -S -emit-llvm %s -o - | FileCheck %s
// FACTS: .weak .entry __gpumemprof_facts$1${{[0-9a-f]+}}$$pb$()
// FACTS-NOT: .global
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
