// The runtime as an archive is pulled in, and as a shared library survives --as-needed.
// RUN: %clang %gmp -O2 -c %s -o %t.o
// RUN: %clang -fPIC %inc -c %inputs/fake_runtime.c -o %t.runtime.o
// RUN: %clang -fPIC %inc -c %inputs/fake_cuda.c -o %t.cuda.o
// RUN: rm -f %t.a && llvm-ar rc %t.a %t.runtime.o
// RUN: %clang %t.o %t.cuda.o %t.a -lpthread -o %t && %t | FileCheck %s
// RUN: %clang -shared %t.runtime.o -o %t.so
// RUN: %clang %t.o %t.cuda.o -Wl,--as-needed %t.so -o %t && %t | FileCheck %s
// RUN: %clang -static %t.o %t.cuda.o %t.a -lpthread -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
int main(void) {
  void *p;
  return cudaMalloc(&p, 1);
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]]
}
