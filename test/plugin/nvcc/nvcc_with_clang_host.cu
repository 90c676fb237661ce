// REQUIRES: cuda-toolkit
// nvcc re-prints the source: lines, variables and sizes are still those of the original, columns are 0.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %nvcc -allow-unsupported-compiler -ccbin %clangxx -Xcompiler %lines -Xcompiler -fplugin=%plugin,-fplugin-arg-gpumemprof-mode=all -arch=sm_90 -cudart none -c %s -o %t/a.o
// RUN: llvm-objdump -t %t/a.o | FileCheck --check-prefix=SYMBOLS %s
// SYMBOLS-DAG: __gpumemprof_thunk.cudaMalloc
// SYMBOLS-DAG: __gpumemprof_profile_enter
// RUN: %clangxx -c -O1 -x c++ %inputs/fake_fatbin.cpp -o %t/fatbin.o
// RUN: %clangxx %t/a.o %t/fatbin.o %fake -o %t/a && env FAKE_RUNTIME_SITES=1 %t/a | FileCheck %s
// CHECK-DAG: site kind=3 flags=2 nvcc_with_clang_host.cu:[[#@LINE+7]]:0 in make<float> calls cudaMalloc<float> variable=[p] type=[float] size=[n * m * sizeof(T)] text=[cudaMalloc(&p, n * m * sizeof(T));]
// CHECK-DAG: site kind=3 flags=2 nvcc_with_clang_host.cu:[[#@LINE+16]]:0 in main calls cudaMalloc variable=[d_grid] type=[float] size=[4 * sizeof *d_grid] text=[CHECK(cudaMalloc((void **)&d_grid, 4 * sizeof *d_grid));]
#define CHECK(x)                                                                                   \
  if (x) return 1
__attribute__((gpumemprof_profile)) static void annotated() {}
template <class T> static T *make(size_t n, size_t m) {
  T *p;
  cudaMalloc(&p, n * m * sizeof(T));
  return p;
}
int main() {
  // CHECK: {{^}}profile annotated
  annotated();
  // CHECK-NEXT: cudaMalloc 24: main:[[#@LINE+1]] > make<float>:[[#@LINE-6]]{{$}}
  float *a = make<float>(2, 3);
  float *d_grid;
  // CHECK-NEXT: cudaMalloc 16: main:[[#@LINE+1]]{{$}}
  CHECK(cudaMalloc((void **)&d_grid, 4 * sizeof *d_grid));
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE+1]]{{$}}
  return cudaFree(a);
}
