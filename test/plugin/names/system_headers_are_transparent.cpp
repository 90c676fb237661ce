// No frame and no site for functions of system headers: cudaMalloc<float>() and for_each() are the
// user's line, at -O0 as at -O2. A CUDA header is a system header even where -I names it.
// RUN: %clangxx %gmp -O0 -isystem %inputs/system %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -O2 -isystem %inputs/system %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -O0 -I %inputs/system %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx -E -isystem %inputs/system %s -o %t.ii
// RUN: %clangxx %gmp -O0 %t.ii %fake -o %t && %t | FileCheck %s
#include <cuda_runtime_api.h>
extern "C" void fake_path(const char *);

static void callback() { fake_path("callback"); }
int main() {
  float *d;
  cudaMalloc(&d, 4);
  // CHECK: cudaMalloc 4: main:[[#@LINE-1]]{{$}}
  call_twice(callback);
  // CHECK-NEXT: callback: main:[[#@LINE-1]] > callback:[[#@LINE-6]]{{$}}
  // CHECK-NEXT: callback: main:[[#@LINE-2]] > callback:[[#@LINE-7]]{{$}}
}
