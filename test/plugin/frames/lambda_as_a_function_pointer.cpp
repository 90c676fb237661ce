// The function clang makes for a lambda's address is no level of a path.
// RUN: %clangxx %gmp -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -O2 %s %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
static void call(void (*f)(int)) { f(3); }
int main() {
  call([](int n) {
    void *p;
    cudaMalloc(&p, n);
  });
  // CHECK: cudaMalloc 3: main:[[#@LINE-4]] > call:[[#]] > main::'lambda'(int)::operator():[[#@LINE-2]]{{$}}
}
