// GPUMEMPROF_SCOPE and the macros of gpumemprof.h, with the plugin and without.
// RUN: %clangxx %gmp %inc -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp %inc -O2 %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %inc -O2 -Wall -Werror -Wno-unused-function %s -Wl,--whole-archive %fake -Wl,--no-whole-archive -o %t && %t
#include "../Inputs/cuda.h"
#include "gpumemprof/gpumemprof.h"
GPUMEMPROF_IGNORE static void leak(int n) {
  void *p;
  cudaMalloc(&p, n);
}
GPUMEMPROF_PROFILE static void step(int n) { leak(n); }
int main() {
  {
    GPUMEMPROF_SCOPE("load");
    leak(1);
    // CHECK: cudaMalloc 1: main:[[#@LINE-1]] > load:0{{$}}
    step(2);
    // CHECK-NEXT: profile step
    // CHECK-NEXT: cudaMalloc 2: main:[[#@LINE-2]] > load:0 > step:[[#@LINE-8]]{{$}}
  }
  leak(3);
  // CHECK-NEXT: cudaMalloc 3: main:[[#@LINE-1]]{{$}}
  return !gpumemprof_is_enabled();
}
