// What a function with a budget calls is its own, also in return position within a recursion; a musttail
// call ends it all the same.
// RUN: %clang %gmp %inc -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp %inc -O2 %s %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
#include "gpumemprof/gpumemprof.h"
static void *left;
static void swap(int n) {
  void *p = left;
  left = 0;
  if (n) cudaMalloc(&left, n);
  cudaFree(p);
}
GPUMEMPROF_NO_LEAK static void kept(int n) {
  swap(n);
  if (n) return kept(n - 1);
}
static void plain(int n) {
  swap(n);
  if (n) return plain(n - 1);
}
GPUMEMPROF_NO_LEAK static void must(int n) {
  swap(n);
  if (n) __attribute__((musttail)) return must(n - 1);
}
int main(void) {
  kept(1);
  // CHECK: cudaMalloc 1: main:[[#M:@LINE-1]] > kept:[[#@LINE-13]] > swap
  // CHECK-NEXT: cudaFree 0: main:[[#M]] > kept:[[#@LINE-13]] > kept:[[#@LINE-14]] > swap
  plain(1);
  // CHECK-NEXT: cudaMalloc 1: main:[[#M:@LINE-1]] > plain:[[#@LINE-12]] > swap
  // CHECK-NEXT: cudaFree 0: main:[[#M]] > plain:[[#@LINE-13]] > swap
  must(1);
  // CHECK-NEXT: cudaMalloc 1: main:[[#M:@LINE-1]] > must:[[#@LINE-11]] > swap
  // CHECK-NEXT: cudaFree 0: main:[[#M]] > must:[[#@LINE-12]] > swap
}
