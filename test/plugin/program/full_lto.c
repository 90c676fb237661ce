// REQUIRES: lld
// Two objects, inlined into each other at link time: one registration, all sites.
// RUN: %clang %gmp -flto=full -O2 -DOTHER -c %s -o %t.other.o
// RUN: %clang %gmp -flto=full -O2 -c %s -o %t.o
// RUN: %clang -flto=full -fuse-ld=lld -O2 %t.o %t.other.o %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | FileCheck %s
// RUN: %clang %gmp -flto=thin -O2 -DOTHER -c %s -o %t.other.o
// RUN: %clang %gmp -flto=thin -O2 -c %s -o %t.o
// RUN: %clang -flto=thin -fuse-ld=lld -O2 -Wl,--gc-sections %t.o %t.other.o %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | FileCheck %s
// RUN: %clang %gmp -flto=full -O0 %s %t.other.o -fuse-ld=lld %fake -o %t && %t | FileCheck --check-prefix=PATHS %s
#include "../Inputs/cuda.h"
int make(void **p, size_t n);
#ifdef OTHER
int make(void **p, size_t n) { return cudaMalloc(p, n); }
#else
static int second_make(void **p) { return make(p, 2); }
int main(void) {
  void *p;
  // CHECK: module 1: abi 5
  // CHECK-DAG: in main calls make
  // CHECK-DAG: in make calls cudaMalloc variable=[*p]
  // CHECK-NOT: module 2
  make(&p, 1);
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]] > make:[[#]]
  // PATHS: cudaMalloc 1: main:[[#@LINE-2]] > make:[[#]]
  return second_make(&p);
  // CHECK: cudaMalloc 2: main:[[#@LINE-1]] > second_make:[[#]] > make:[[#]]
  // PATHS: cudaMalloc 2: main:[[#@LINE-2]] > second_make:[[#]] > make:[[#]]
}
#endif
