// RUN: rm -rf %t && mkdir -p %t/src && cp %s %t/src/a.c && cp -r %inputs %t
// RUN: cd %t/src && %clang %gmp -fdebug-prefix-map=%t=/build -g -O1 -S -emit-llvm a.c -o - | FileCheck %s
// RUN: cd %t && %clang %gmp -O1 -S -emit-llvm src/../src/./a.c -o - | FileCheck --check-prefix=PLAIN -DROOT=%t %s
// CHECK: {{"|\\00}}/build/src/a.c\00
// PLAIN: {{"|\\00}}[[ROOT]]/src/a.c\00
#include "../Inputs/cuda.h"
int f(void **p) {
  // CHECK-SAME: \00return cudaMalloc(p, 7);\00
  return cudaMalloc(p, 7);
}
