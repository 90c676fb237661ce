// RUN: %clang -c %inputs/fake_cuda.c %inc -o %t.cuda.o
// RUN: not %clang %gmp %s %t.cuda.o -o %t 2>&1 | FileCheck %s
// CHECK: __gpumemprof_abi_v5
#include "../Inputs/cuda.h"
int main(void) { return cudaDeviceReset(); }
