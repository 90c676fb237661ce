// A stored address of cudaMalloc is that of the thunk, the same in every object of the program.
// RUN: %clang %gmp -O2 -DOTHER -c %s -o %t.o
// RUN: %clang %gmp -O2 %s %t.o %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -O0 %s %t.o %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
typedef cudaError_t (*allocator)(void **, size_t);
extern const allocator other;
#ifdef OTHER
const allocator other = cudaMalloc;
#else
static const struct {
  allocator get;
  cudaError_t (*put)(void *);
} table = {cudaMalloc, cudaFree};
int main(void) {
  void *p;
  const volatile allocator *get = &table.get;
  (*get)(&p, 4);
  // CHECK: cudaMalloc 4: main:[[#@LINE-1]]
  table.put(p);
  // CHECK: cudaFree 0: main:[[#@LINE-1]]
  return other != table.get;
}
#endif
