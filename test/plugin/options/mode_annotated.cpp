// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-mode=annotated -isystem %inputs/system %s %fake -o %t && %t | FileCheck %s
#include <cuda_runtime_api.h>
extern "C" void fake_path(const char *);
static void leak(int n) {
  float *p;
  cudaMalloc(&p, n);
}
static void between(int n) { leak(n); }
__attribute__((gpumemprof_profile)) static void annotated(int n) { between(n); }
int main() {
  annotated(3);
  // CHECK: profile annotated
  // CHECK-NEXT: cudaMalloc 3: annotated:[[#@LINE-4]] > leak:[[#@LINE-7]]{{$}}
}
