// A template compiled in two objects, inlined in one and called in the other: whichever copy the linker
// keeps, every site is there, and the program has one constructor.
// RUN: %clangxx %gmp -O2 -ffunction-sections -DOTHER -c %s -o %t.o
// RUN: %clangxx %gmp -O2 -ffunction-sections -c %s -o %t.main.o
// RUN: %clangxx %t.main.o %t.o %fake -Wl,--gc-sections -o %t && env FAKE_RUNTIME_SITES=1 %t | FileCheck %s
// RUN: %clangxx %t.o %t.main.o %fake -Wl,--gc-sections -o %t && env FAKE_RUNTIME_SITES=1 %t | FileCheck %s
// CHECK: module 1
// CHECK-NOT: module 2
#include "../Inputs/cuda.h"
template <class T> T *make(size_t n) {
  T *p;
  cudaMalloc((void **)&p, n * sizeof(T));
  return p;
}
int other();
#ifdef OTHER
int other() { return make<int>(3) == nullptr; }
#else
static int *(*volatile stored)(size_t) = make<int>;
int main() {
  // CHECK: cudaMalloc 8: main:[[#@LINE+2]] > make<int>:[[#@LINE-9]]
  // CHECK-NEXT: cudaMalloc 12: main:[[#@LINE+1]] > other:[[#@LINE-5]] > make<int>:[[#@LINE-10]]
  return (stored(2) == nullptr) + other();
}
#endif
