// An ignored function is transparent: no scope and no line of its own.
// RUN: %clangxx %gmp -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -O2 %s %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
__attribute__((gpumemprof_ignore)) static void *my_malloc(size_t n) {
  void *p;
  cudaMalloc(&p, n);
  return p;
}
[[gpumemprof::ignore]] static void *through(size_t n) { return my_malloc(n); }
int main() {
  my_malloc(1);
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]]{{$}}
  through(2);
  // CHECK-NEXT: cudaMalloc 2: main:[[#@LINE-1]]{{$}}
}
