// Equal calls of two branches may become one call: the site stored before it still says which.
// RUN: %clang %gmp -O2 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -O0 %s %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
__attribute__((noinline)) static void choose(int c) {
  void *p;
  if (c)
    cudaMalloc(&p, 100);
  else
    cudaMalloc(&p, 100);
}
int main(void) {
  choose(1);
  choose(0);
  // CHECK: cudaMalloc 100: main:[[#@LINE-2]] > choose:[[#@LINE-7]]
  // CHECK: cudaMalloc 100: main:[[#@LINE-2]] > choose:[[#@LINE-6]]
  return 0;
}
