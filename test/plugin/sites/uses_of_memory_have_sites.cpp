// Each call that uses memory reaches the runtime with its site, before the call and only while uses are recorded. A call
// through a pointer, and one of a kernel's stub, has no site. All arguments arrive, also structures.
// RUN: %clangxx %gmp -O0 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_USES=1 %t | FileCheck %s
// RUN: %clangxx %gmp -O2 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_USES=1 %t | FileCheck %s
// RUN: %t | FileCheck %s --check-prefix=OFF --implicit-check-not=use
#include <cuda_runtime_api.h>
#include <stdio.h>
struct dim3 {
  unsigned x, y, z;
};
extern "C" {
int cudaMemset(void *to, int value, size_t n);
int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
int cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream);
}
static int __device_stub__kernel(int n) {
  void *arguments[] = {&n};
  return cudaLaunchKernel((const void *)__device_stub__kernel, dim3{1, 2, 3}, dim3{4, 5, 6}, arguments, 7, arguments[0]) != 0;
}
int main() {
  char a[8] = "abcdefg", b[8];
  // CHECK: use cudaMemcpy: site kind=6 flags=0 uses_of_memory_have_sites.cpp:[[#@LINE+1]]:3 in main calls cudaMemcpy text=[cudaMemcpy(b, a, 8, 1);]
  cudaMemcpy(b, a, 8, 1);
  // CHECK-NEXT: use cudaMemset: site kind=6 flags=0 uses_of_memory_have_sites.cpp:[[#@LINE+1]]:16 in main calls cudaMemset
  int failed = cudaMemset(b + 4, 'x', 3);
  // CHECK-NEXT: abcdxxx 0
  // OFF: abcdxxx 0
  printf("%s %d\n", b, failed);
  // CHECK-NEXT: use __cudaPushCallConfiguration: site kind=6 flags=0 {{.*}}:[[#@LINE+2]]:7 in main
  // CHECK-NEXT: 6 blocks of 120 threads, 9 bytes, stream 0x10
  if (__cudaPushCallConfiguration(dim3{1, 2, 3}, dim3{4, 5, 6}, 9, (void *)16) == 0)
    // CHECK-NEXT: use cudaLaunchKernel: no site
    // CHECK-NEXT: launched with 77, 3 blocks of 6 threads, 7 bytes, stream 0x
    // OFF: launched with 77, 3 blocks of 6 threads, 7 bytes, stream 0x
    __device_stub__kernel(77);
  int (*volatile pointer)(void *, int, size_t) = cudaMemset;
  // CHECK-NEXT: use cudaMemset: no site
  pointer(b, 'y', 1);
  // CHECK-NEXT: ybcdxxx
  // OFF: ybcdxxx
  printf("%s\n", b);
}
