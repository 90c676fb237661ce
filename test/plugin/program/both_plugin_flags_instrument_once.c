// RUN: %clang %gmp -fpass-plugin=%plugin -O2 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -Xclang -load -Xclang %plugin -O2 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang -fpass-plugin=%pass -g -O2 %s %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
int main(void) {
  void *p;
  cudaMalloc(&p, 1);
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]]{{$}}
  // CHECK-NOT: cudaMalloc
  return 0;
}
