// RUN: %clang %gmp -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -O2 %s %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"

static int last(int n) {
  fake_path("last");
  void *p;
  return cudaMalloc(&p, n);
}
static int (*volatile next)(int) = last;
static int first(int n) {
  void *p;
  cudaMalloc(&p, 1);
  __attribute__((musttail)) return next(n);
}
int main(void) {
  first(3);
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]] > first:[[#]]
  // CHECK-NEXT: last: main:[[#@LINE-2]] > last:[[#]]
  // CHECK-NEXT: cudaMalloc 3: main:[[#@LINE-3]] > last:[[#]]
  fake_path("end");
  // CHECK-NEXT: end: main:[[#@LINE-1]]
  return 0;
}
