// Functions and files of the filter are transparent; names as linked or as written.
// RUN: rm -rf %t && mkdir -p %t/third_party
// RUN: echo "static void lib(int n) { void *p; cudaMalloc(&p, n); }" > %t/third_party/lib.h
// RUN: printf 'src:*/third_party/*\nfun:trace_*\n[gpumemprof]\nfun:ns::inner\n[address]\nfun:leak\n' > %t/filter.txt
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-filter=%t/filter.txt -I %t %s %fake -o %t/a && %t/a | FileCheck %s
#include "../Inputs/cuda.h"
#include "third_party/lib.h"
static void leak(int n) {
  void *p;
  cudaMalloc(&p, n);
}
extern "C" void trace_leak(int n) { leak(n); }
namespace ns {
static void inner(int n) { leak(n); }
} // namespace ns
int main() {
  lib(1);
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]]{{$}}
  trace_leak(2);
  // CHECK-NEXT: cudaMalloc 2: main:[[#@LINE-1]] > leak:[[#]]{{$}}
  ns::inner(3);
  // CHECK-NEXT: cudaMalloc 3: main:[[#@LINE-1]] > leak:[[#]]{{$}}
}
