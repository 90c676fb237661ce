// RUN: %clang %gmp -std=gnu89 -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: warning: 'cudaMalloc' is declared without its parameters, so its allocations are not recorded; include the CUDA header that declares it
int cudaMalloc();
int main(void) {
  void *p;
  return cudaMalloc(&p, 1L);
}
