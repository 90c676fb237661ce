// -save-temps compiles in steps, and the step that knows the source runs no passes: not silently lost.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clang %gmp -save-temps -O2 %s %fake -o %t/a && %t/a | FileCheck %s
// RUN: %clang %gmp -save-temps -O2 -flto -c %s -o %t/lto.o && llvm-dis %t/lto.o -o - | FileCheck --check-prefix=LTO %s
// LTO: @__gpumemprof_thunk.cudaMalloc
#include "../Inputs/cuda.h"
int main(void) {
  void *p;
  cudaMalloc(&p, 1);
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]]
  return 0;
}
