// REQUIRES: llvm-16, x86_64
// A function that preserves the registers would restore the one in which it returns its frame.
// RUN: %clang %gmp -O2 %s -S -o - | FileCheck %s --implicit-check-not=__gpumemprof_keep_enter
// CHECK-LABEL: user:
// CHECK: callq __gpumemprof_plain_enter
// CHECK: callq __gpumemprof_keep_exit
#include "../Inputs/cuda.h"
int user(void **p) {
  cudaMalloc(p, 1);
  cudaMalloc(p, 2);
  return cudaFree(*p);
}
