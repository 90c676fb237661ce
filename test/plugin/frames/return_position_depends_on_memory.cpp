// What a function decides on after a call of itself stays its decision, though the result is small and mostly handed
// on: each field of a local structure has a value of its own.
// RUN: %clangxx -O0 -w %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -O0 -w %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -O1 -w %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -O2 -w %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-mode=every -O2 -w %s %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
#include <stdio.h>

struct Status {
  int state;
  int retries;
};
struct Result {
  int value, cost;
};
static Result bottom() {
  void *p = nullptr;
  cudaMalloc(&p, 1 << 20);
  cudaFree(p);
  return {1, 2};
}

__attribute__((noinline)) static Result of_issue(int n) {
  if (n == 0) return bottom();
  Result r = of_issue(n - 1);
  Status s;
  s.state = 1;
  s.retries = 0;
  switch (s.state) {
  case 1: return r;
  default: {
    Result none;
    none.value = r.value;
    none.cost = 0;
    return none;
  }
  }
}

// A later store to one element of an array, by a narrower type, and through another name.
__attribute__((noinline)) static Result by_element(int n) {
  if (n == 0) return bottom();
  Result r = by_element(n - 1);
  int state[3];
  state[1] = 1;
  state[2] = 0;
  state[0] = 2;
  switch (state[1]) {
  case 1: return r;
  default: r.cost = 7; return r;
  }
}
__attribute__((noinline)) static Result by_width(int n) {
  if (n == 0) return bottom();
  Result r = by_width(n - 1);
  unsigned state = 0x0101;
  *(unsigned char *)&state = 0;
  switch (state) {
  case 0x0100: return r;
  default: r.cost = 8; return r;
  }
}
__attribute__((noinline)) static Result by_alias(int n) {
  if (n == 0) return bottom();
  Result r = by_alias(n - 1);
  Status s;
  int &state = s.state;
  s.state = 0;
  state = 1;
  switch (s.state) {
  case 1: return r;
  default: r.cost = 9; return r;
  }
}
// The result itself is changed in one field, which is then decided on.
__attribute__((noinline)) static Result by_result(int n) {
  if (n == 0) return bottom();
  Result r = by_result(n - 1);
  r.value = 1;
  switch (r.value) {
  case 1: r.cost += 1; return r;
  default: r.cost = 0; return r;
  }
}
__attribute__((noinline)) static bool by_bool(int n) {
  if (n == 0) return bottom().value == 1;
  bool r = by_bool(n - 1);
  struct {
    bool keep, drop;
  } s;
  s.keep = true;
  s.drop = false;
  if (s.keep) return r;
  return false;
}

static void show(const char *name, Result r) { printf("%s: %d,%d\n", name, r.value, r.cost); }

int main() {
  show("of_issue", of_issue(3));     // CHECK: of_issue: 1,2
  show("by_element", by_element(3)); // CHECK: by_element: 1,2
  show("by_width", by_width(3));     // CHECK: by_width: 1,2
  show("by_alias", by_alias(3));     // CHECK: by_alias: 1,2
  show("by_result", by_result(3));   // CHECK: by_result: 1,5
  printf("by_bool: %d\n", by_bool(3)); // CHECK: by_bool: 1
  return 0;
}
