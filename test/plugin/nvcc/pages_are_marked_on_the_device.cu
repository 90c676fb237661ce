// REQUIRES: cuda-toolkit, llvm-22
// With uses=pages, device code has a table of pages, a check of what it accesses, and before a loop a call for what the loop accesses
// in steps; before the first access, one thread of each page marks it early. A kernel with accesses that are not seen says so. The program's own instructions stay.
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-uses=pages --cuda-path=%cuda-home --cuda-gpu-arch=sm_90 --cuda-device-only -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-uses=pages --cuda-path=%cuda-home --cuda-gpu-arch=sm_90 --cuda-device-only -O2 -c %s -o %t.o
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-uses=pages --cuda-path=%cuda-home --cuda-gpu-arch=sm_75 --cuda-device-only -O0 -c %s -o %t.o
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-uses=off --cuda-path=%cuda-home --cuda-gpu-arch=sm_90 --cuda-device-only -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OFF --implicit-check-not=gpumemprof
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-uses=pages --cuda-path=%cuda-home --cuda-gpu-arch=sm_90 --cuda-host-only -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=HOST
// CHECK-DAG: @__gpumemprof_pages = weak addrspace(4) externally_initialized global { i32, i32, [1024 x i64] } { i32 0, i32 0, [1024 x i64] [i64 ptrtoint
// CHECK-DAG: @__gpumemprof_unseen__Z6hiddenPf =
// CHECK-NOT: @__gpumemprof_unseen__Z5stepsPfPKfi
// CHECK-LABEL: define {{.*}}@_Z5stepsPfPKfi(
// CHECK: call void @gpumemprof.stride({{.*}}, i32 1)
// CHECK: store float
// CHECK: call i32 @llvm.nvvm.shfl.sync.up.i32(
// CHECK: atomicrmw umax ptr addrspace(1) {{.*}} syncscope("device") monotonic
// CHECK-LABEL: define {{.*}}@_Z6sharedPf(
// CHECK: load i32, ptr addrspace(4) getelementptr{{.*}}@__gpumemprof_pages
// CHECK: atomicrmw umax ptr addrspace(1) {{.*}} syncscope("device") monotonic
// CHECK: atomicrmw umax ptr addrspace(1) {{.*}} syncscope("device") monotonic
// CHECK: load float
// CHECK: store float
// CHECK: atomicrmw umax ptr addrspace(1) {{.*}} syncscope("device") monotonic
// CHECK: atomicrmw umax ptr addrspace(1) {{.*}} syncscope("device") monotonic
// CHECK-NOT: call void @gpumemprof
// CHECK: ret void
// OFF: define {{.*}}@_Z5stepsPfPKfi(
// HOST: call void @__gpumemprof_page_finder(ptr {{.*}}@cudaGetFuncBySymbol)
__global__ void steps(float *to, const float *from, int count) {
  float sum = 0;
#pragma clang loop unroll(disable) vectorize(disable)
  for (int i = 0; i < count; i++) sum += from[i * 3];
  to[threadIdx.x] = sum;
}
__global__ void shared(float *from) {
  __shared__ float inside[64]; // has no block
  inside[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  from[threadIdx.x] = inside[63 - threadIdx.x];
}
__global__ void hidden(float *to) { asm volatile("st.global.f32 [%0], %1;" ::"l"(to), "f"(1.0f) : "memory"); }
int main() {
  float *p;
  cudaMalloc(&p, 1024);
  steps<<<1, 1>>>(p, p, 1);
}
