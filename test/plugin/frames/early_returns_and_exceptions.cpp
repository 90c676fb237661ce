// A clean-up that is shared with the way that needs no frame; the frames are right after every way out.
// RUN: %clangxx %gmp -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -O2 %s %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
static int dropped;
struct Guard {
  ~Guard() { dropped++; }
};
__attribute__((noinline)) static int work(int n) {
  Guard guard;
  if (n == 0) return 0; // no frame
  if (n == 3) throw n;
  fake_path("work");
  if (n == 2) throw n;
  return n;
}
__attribute__((noinline)) static int attempt(int n) {
  try {
    return work(n);
  } catch (int) {
    fake_path("caught");
    return -1;
  }
}
int main() {
  // CHECK: work: main:[[#@LINE+2]] > attempt:[[#@LINE-7]] > work:[[#@LINE-13]]
  // CHECK-NEXT: back: main:[[#@LINE+2]]
  int sum = attempt(0) + attempt(1);
  fake_path("back");
  // CHECK-NEXT: work: main:[[#@LINE+3]] > attempt:[[#@LINE-11]] > work:[[#@LINE-17]]
  // CHECK-NEXT: caught: main:[[#@LINE+2]] > attempt:[[#@LINE-10]]
  // CHECK-NEXT: caught: main:[[#@LINE+2]] > attempt:[[#@LINE-11]]
  sum += attempt(2);
  sum += attempt(3);
  // CHECK-NEXT: end: main:[[#@LINE+1]]
  fake_path("end");
  return sum + dropped == 3 ? 0 : 1;
}
