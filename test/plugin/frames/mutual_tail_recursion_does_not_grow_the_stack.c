// Five million calls in return position within a cycle: each ends its caller's activation first, so that
// the optimiser still makes jumps of them.
// RUN: %clang %gmp -O2 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -O3 -fno-inline %s %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
#include <stdio.h>

static int ping(long n);
__attribute__((noinline)) static int pong(long n) {
  if (n == 0) {
    void *p;
    cudaMalloc(&p, 1);
    return 0;
  }
  return ping(n - 1);
}
__attribute__((noinline)) static int ping(long n) {
  if (n == 0) {
    fake_path("bottom");
    void *p;
    cudaMalloc(&p, 2);
    return 1;
  }
  return pong(n - 1);
}
int main(void) {
  printf("%d depth %d\n", ping(5000000), fake_depth());
  return 0;
}
// CHECK: bottom: main:[[#@LINE-3]] > ping:[[#]]
// CHECK: cudaMalloc 2: main:[[#@LINE-4]] > ping:[[#]]
// CHECK: 1 depth 1
