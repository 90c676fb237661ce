// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-runtime=weak -O2 -c %s -o %t.o
// RUN: %clang -I%inputs -c -x c %inputs/fake_cuda.c %inc -o %t.cuda.o
// RUN: %clangxx %t.o %t.cuda.o -o %t && %t
// RUN: %clangxx -no-pie %t.o %t.cuda.o -o %t && %t
// RUN: %clang -fPIC -shared %inc %inputs/fake_runtime.c -o %t.so
// RUN: %clangxx %t.o %t.cuda.o -Wl,--no-as-needed %t.so -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-runtime=weak -O0 %s %t.cuda.o -o %t && %t
#include "../Inputs/cuda.h"
static void throws(int n) {
  void *p;
  cudaMalloc(&p, n);
  throw n;
}
__attribute__((gpumemprof_profile)) static void profiled() {}
int main() {
  try {
    throws(3);
    // CHECK: cudaMalloc 3: main:[[#@LINE-1]] > throws:[[#]]
  } catch (int) {
    profiled();
    // CHECK: profile profiled
  }
  return cudaDeviceReset();
  // CHECK: cudaDeviceReset 0: main:[[#@LINE-1]]
}
