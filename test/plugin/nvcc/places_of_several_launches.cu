// REQUIRES: cuda-toolkit
// A launch has one site, which is of several calls only where the source has several: in a macro, and, because the columns of nvcc are
// unknown, on one line. What the plugin adds and copies (thunks, stubs, records) does not count, nor do functions of CUDA's headers.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clangxx -c -O1 -x c++ %inputs/fake_fatbin.cpp -o %t/fatbin.o && %clang -c -Wno-builtin-requires-header -Wno-incompatible-library-redeclaration %inputs/fake_launches.c -o %t/launches.o
// RUN: %nvcc -allow-unsupported-compiler -ccbin %clangxx -Xcompiler %lines -Xcompiler -fplugin=%plugin -O0 -arch=sm_90 -cudart none -c %s -o %t/a.o
// RUN: %clangxx %t/a.o %t/fatbin.o %t/launches.o %fake -o %t/a && env FAKE_RUNTIME_SITES=1 %t/a | FileCheck %s --check-prefixes=CHECK,NVCC --implicit-check-not="kind=6 flags=1638" --implicit-check-not=flags=16386
// RUN: %nvcc -allow-unsupported-compiler -ccbin %clangxx -Xcompiler %lines -Xcompiler -fplugin=%plugin -O2 -arch=sm_90 -cudart none -c %s -o %t/a.o
// RUN: %clangxx %t/a.o %t/fatbin.o %t/launches.o %fake -o %t/a && env FAKE_RUNTIME_SITES=1 %t/a | FileCheck %s --check-prefixes=CHECK,NVCC --implicit-check-not="kind=6 flags=1638" --implicit-check-not=flags=16386
// RUN: %if llvm-22 %{ %clangxx %gmp -O0 --cuda-path=%cuda-home --cuda-gpu-arch=sm_90 --cuda-host-only -Wno-unknown-cuda-version -c %s -o %t/a.o %}
// RUN: %if llvm-22 %{ %clangxx %t/a.o %t/launches.o %fake -o %t/a && env FAKE_RUNTIME_SITES=1 %t/a | FileCheck %s --check-prefixes=CHECK,CLANG --implicit-check-not="kind=6 flags=1638" --implicit-check-not=flags=16386 %}
// RUN: %if llvm-22 %{ %clangxx %gmp -O2 --cuda-path=%cuda-home --cuda-gpu-arch=sm_90 --cuda-host-only -Wno-unknown-cuda-version -c %s -o %t/a.o %}
// RUN: %if llvm-22 %{ %clangxx %t/a.o %t/launches.o %fake -o %t/a && env FAKE_RUNTIME_SITES=1 %t/a | FileCheck %s --check-prefixes=CHECK,CLANG --implicit-check-not="kind=6 flags=1638" --implicit-check-not=flags=16386 %}
struct nine {
  float *values[9];
};
__constant__ float factor;
__global__ void one(float *p, int n) { *p = n * factor; }
__global__ void two(float *p) { *p = 1; }
__global__ void many(nine n) { *n.values[0] = 1; }
template <class T> __global__ void each(T *p) { *p = 1; }
#define TWICE(p) one<<<1, 1>>>(p, 1), one<<<1, 1>>>(p, 2)
#define EXTENDED(p) cudaLaunchKernelEx(&c, two, p), cudaLaunchKernelEx(&c, two, p)
template <class T> static void instance(T *p) {
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+2]]:{{[0-9]+}} in instance<float> calls __cudaPush
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in instance<int> calls __cudaPush
  each<<<1, 1>>>(p);
}
static void one_by_one(float *p) {
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in one_by_one calls __cudaPush
  one<<<1, 1>>>(p, 1);
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in one_by_one calls __cudaPush
  one<<<1, 1>>>(p, 2);
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in one_by_one calls __cudaPush
  many<<<1, 1>>>({p});
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in one_by_one calls __cudaPush
  for (int i = 0; i < 3; i++) two<<<1, 1>>>(p);
  instance(p);
  instance((int *)p);
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in one_by_one calls cudaMemcpyAsync
  cudaMemcpyAsync(p, p + 4, 4, cudaMemcpyDeviceToDevice);
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in one_by_one calls cudaMemcpy{{ }}
  cudaMemcpy(p, p + 4, 4, cudaMemcpyDeviceToDevice);
}
// These calls of templates have the sites of calls, as have those of cudaMalloc.
static void by_templates(float *p) {
  cudaLaunchConfig_t c = {};
  // CHECK-DAG: site kind=3 flags=0 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in by_templates calls cudaLaunchKernelEx<
  cudaLaunchKernelEx(&c, two, p);
  // CHECK-DAG: site kind=3 flags=0 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in by_templates calls cudaLaunchKernelEx<
  cudaLaunchKernelEx(&c, one, p, 1);
  // CHECK-DAG: site kind=3 flags=0 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in by_templates calls cudaMemcpyToSymbol<
  cudaMemcpyToSymbol(factor, &c, 4);
  // CHECK-DAG: site kind=3 flags=16384 {{.*}}:[[#@LINE+2]]:{{[0-9]+}} in by_templates calls cudaLaunchKernelEx<
  // CHECK-DAG: site kind=3 flags=16384 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in by_templates calls cudaLaunchKernelEx<
  EXTENDED(p);
}
static void together(float *p) {
  // CHECK-DAG: site kind=6 flags=16384 {{.*}}:[[#@LINE+2]]:{{[0-9]+}} in together calls __cudaPush
  // CHECK-DAG: site kind=6 flags=16384 {{.*}}:[[#@LINE+1]]:{{[0-9]+}} in together calls __cudaPush
  TWICE(p);
  // NVCC-DAG: site kind=6 flags=16384 {{.*}}:[[#@LINE+4]]:0 in together calls __cudaPush
  // NVCC-DAG: site kind=6 flags=16384 {{.*}}:[[#@LINE+3]]:0 in together calls __cudaPush
  // CLANG-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+2]]:6 in together calls __cudaPush
  // CLANG-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:27 in together calls __cudaPush
  one<<<1, 1>>>(p, 1), one<<<1, 1>>>(p, 2);
}
int main(int count, char **) {
  if (count) return 0;
  float *p;
  cudaMalloc(&p, 64);
  one_by_one(p);
  by_templates(p);
  together(p);
}
