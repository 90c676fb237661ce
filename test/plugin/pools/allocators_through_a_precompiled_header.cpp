// What an attribute says is known where the header came precompiled.
// RUN: %clangxx %gmp %inc -x c++-header %s -o %t.pch
// RUN: %clangxx %gmp %inc -include-pch %t.pch -x c++ %s -x none %fake -o %t && %t | FileCheck %s
#ifndef SEEN // by the precompiled one
#define SEEN
#include "gpumemprof/gpumemprof.h"
#include <stddef.h>
inline char memory[64];
struct Pool {
  void *take(size_t bytes) GPUMEMPROF_ALLOCATES(1);
  template <class T> T *typed(size_t bytes, size_t count) GPUMEMPROF_ALLOCATES(1, 2) {
    return (T *)(memory + bytes * count);
  }
};
#else
void *Pool::take(size_t bytes) {
  return memory + bytes;
}
int main() {
  Pool pool;
  // CHECK: Pool (object) hands out 5: main:[[#@LINE+1]]
  pool.take(5);
  // CHECK-NEXT: Pool (object) hands out 12: main:[[#@LINE+1]]
  pool.typed<int>(3, 4);
}
#endif
