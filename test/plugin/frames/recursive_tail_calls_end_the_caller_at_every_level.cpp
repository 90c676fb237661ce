// What counts as return position does not depend on -O: results through memory, through phis, out of
// scopes with clean-ups of the optimiser, as a bool, as a structure in registers, and void.
// RUN: %clangxx %gmp -O0 %s %fake -o %t && %t > %t.0
// RUN: FileCheck %s < %t.0
// RUN: %clangxx %gmp -O1 %s %fake -o %t && %t | diff %t.0 -
// RUN: %clangxx %gmp -O2 %s %fake -o %t && %t | diff %t.0 -
#include "../Inputs/cuda.h"
#include <cstdio>
#include <cstring>

struct Pair {
  long a, b;
};
static void leak(size_t n) {
  void *p;
  cudaMalloc(&p, n);
}
static int through_memory(int n) {
  if (n == 0) {
    leak(1);
    return 0;
  }
  int r = through_memory(n - 1);
  return r;
}
static int through_phi(int n) { return n ? through_phi(n - 1) : (leak(2), 0); }
static int out_of_scope(int n) {
  {
    char text[32];
    snprintf(text, sizeof text, "%d", n);
    if (strlen(text) == 2) {
      int local = n - 1;
      return out_of_scope(local);
    }
  }
  leak(3);
  return 0;
}
static bool as_bool(int n) {
  if (n) return as_bool(n - 1);
  leak(4);
  return true;
}
static Pair as_structure(int n) {
  if (n) return as_structure(n - 1);
  leak(5);
  return {1, 2};
}
static void as_void(int n) {
  if (n) {
    as_void(n - 1);
    return;
  }
  leak(6);
}
static int not_in_return_position(int n) {
  if (n) return not_in_return_position(n - 1) + 1;
  leak(7);
  return 0;
}
static int wrapper(int n) { return through_memory(n); }
int main() {
  through_memory(2);
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]] > through_memory:{{[0-9]+}} > leak
  through_phi(2);
  // CHECK: cudaMalloc 2: main:[[#@LINE-1]] > through_phi:{{[0-9]+}} > leak
  out_of_scope(11);
  // CHECK: cudaMalloc 3: main:[[#@LINE-1]] > out_of_scope:{{[0-9]+}} > leak
  as_bool(2);
  // CHECK: cudaMalloc 4: main:[[#@LINE-1]] > as_bool:{{[0-9]+}} > leak
  as_structure(2);
  // CHECK: cudaMalloc 5: main:[[#@LINE-1]] > as_structure:{{[0-9]+}} > leak
  as_void(2);
  // CHECK: cudaMalloc 6: main:[[#@LINE-1]] > as_void:{{[0-9]+}} > leak
  not_in_return_position(2);
  // CHECK: cudaMalloc 7: main:[[#@LINE-1]] > not_in_return_position:{{[0-9]+}} > not_in_return_position:{{[0-9]+}} > not_in_return_position:{{[0-9]+}} > leak
  wrapper(0);
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]] > wrapper:{{[0-9]+}} > through_memory:{{[0-9]+}} > leak
  fake_path("end");
  // CHECK: end: main:[[#@LINE-1]]{{$}}
}
