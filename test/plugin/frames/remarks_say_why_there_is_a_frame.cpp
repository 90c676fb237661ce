// -Rpass-analysis=gpumemprof: a remark at each call that keeps its function's frame, none elsewhere.
// RUN: %clangxx %gmp -O2 -Rpass-analysis=gpumemprof -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not=remark: %s
// RUN: %clangxx %gmp -O2 -c %s -o %t.o 2>&1 | count 0
#include "../Inputs/cuda.h"
#include <cstdlib>
namespace ns {
void unknown(int n);
}
static int quiet(int n) { return n + 1; }
static void direct(void **p) { cudaMalloc(p, 4); }
// CHECK-DAG: [[#@LINE-1]]:32: remark: 'direct' has a frame: it calls 'cudaMalloc' [-Rpass-analysis=gpumemprof]
void outer(void **p, int n, void (*f)(int)) {
  n = abs(quiet(n));
  direct(p);
  // CHECK-DAG: [[#@LINE-1]]:3: remark: 'outer' has a frame: it calls 'direct', which may allocate or free
  ns::unknown(n);
  // CHECK-DAG: [[#@LINE-1]]:3: remark: 'outer' has a frame: it calls 'ns::unknown', whose body is not in this file
  f(n);
  // CHECK-DAG: [[#@LINE-1]]:3: remark: 'outer' has a frame: it calls through a pointer
}
void nothing(int n) {
  if (quiet(n)) exit(1);
}
