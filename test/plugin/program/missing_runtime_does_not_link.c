// The linker for AArch64 (binutils 2.40) names a variable of the runtime, and then crashes itself.
// RUN: %clang -c %inputs/fake_cuda.c %inc -o %t.cuda.o
// RUN: not %clang %gmp %s %t.cuda.o -o %t 2>&1 | FileCheck %s
// CHECK: {{__gpumemprof_abi_v5|__gpumemprof_stack}}
#include "../Inputs/cuda.h"
int main(void) { return cudaDeviceReset(); }
