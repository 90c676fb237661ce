// __builtin_longjmp comes back to the function of __builtin_setjmp: the frames between are gone, and each
// call after it has its own line, whatever was called before. So in mode every, at each -O level.
// RUN: %clang %gmp -O0 %s %fake -o %t && %t > %t.0
// RUN: FileCheck %s < %t.0
// RUN: %clang %gmp -O1 %s %fake -o %t && %t | diff %t.0 -
// RUN: %clang %gmp -O2 %s %fake -o %t && %t | diff %t.0 -
// RUN: %clang %gmp -fplugin-arg-gpumemprof-mode=every -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -fplugin-arg-gpumemprof-mode=every -O2 %s %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"

static void *buffer[5];
static void *p;

__attribute__((noinline)) static void deeper(int n) {
  cudaMalloc(&p, n);
  __builtin_longjmp(buffer, 1);
}
__attribute__((noinline)) static void deep(int n) {
  cudaMalloc(&p, n);
  deeper(n + 1);
}
__attribute__((noinline)) static void leaf(int n) { cudaMalloc(&p, n); }
__attribute__((noinline)) static int round_trip(int n) {
  leaf(n);
  // CHECK: cudaMalloc 10: main:[[#MAIN:]] > round_trip:[[#@LINE-1]] > leaf
  if (__builtin_setjmp(buffer) == 0) {
    leaf(n + 1);
    // CHECK: cudaMalloc 11: main:[[#MAIN]] > round_trip:[[#@LINE-1]] > leaf
    leaf(n + 2);
    // CHECK: cudaMalloc 12: main:[[#MAIN]] > round_trip:[[#@LINE-1]] > leaf
    deep(n + 3);
    // CHECK: cudaMalloc 13: main:[[#MAIN]] > round_trip:[[#@LINE-1]] > deep:
    // CHECK: cudaMalloc 14: main:[[#MAIN]] > round_trip:[[#@LINE-2]] > deep:{{.*}} > deeper:
  }
  leaf(20);
  // CHECK: cudaMalloc 20: main:[[#MAIN]] > round_trip:[[#@LINE-1]] > leaf
  leaf(21);
  // CHECK: cudaMalloc 21: main:[[#MAIN]] > round_trip:[[#@LINE-1]] > leaf
  return fake_depth();
}
__attribute__((noinline)) static void jump(void) { __builtin_longjmp(buffer, 1); }
int main(void) {
  round_trip(10);
  for (int i = 0; i < 1000; ++i) {
    p = 0;
    if (__builtin_setjmp(buffer) == 0) jump();
  }
  leaf(30);
  // CHECK: cudaMalloc 30: main:[[#@LINE-1]] > leaf
  fake_path("end");
  // CHECK: end: main:[[#@LINE-1]]{{$}}
  return 0;
}
// REQUIRES: x86_64
