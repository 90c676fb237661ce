// The variable by which NVTX finds a tool is given to the runtime by the constructor, whichever object
// of the link defines it; where none does, the weak reference needs no symbol and brings none.
// RUN: %clang %gmp -O2 -c %s -o %t.o
// RUN: %clang -O2 -DDEFINES -c %s -o %t.other.o
// RUN: %clang %gmp -O2 -DBOTH -c %s -o %t.both.o
// RUN: %clang %t.o %fake -o %t && env FAKE_RUNTIME_NVTX=1 %t | FileCheck %s --check-prefix=NONE
// RUN: %clang %t.o %t.other.o %fake -o %t && env FAKE_RUNTIME_NVTX=1 %t | FileCheck %s --check-prefix=USED
// RUN: %clang %t.both.o %fake -o %t && env FAKE_RUNTIME_NVTX=1 %t | FileCheck %s --check-prefix=USED
// RUN: %clang %gmp -O2 -fPIC %s -shared %fake -o %t.so && nm -D %t.so | FileCheck %s --check-prefix=HIDDEN
// NONE: nvtx not used
// USED: nvtx used
// HIDDEN-NOT: InitializeInjectionNvtx2_fnptr
#if defined(DEFINES) || defined(BOTH)
__attribute__((weak, visibility("hidden"))) int (*InitializeInjectionNvtx2_fnptr)(void *);
#endif
#ifndef DEFINES
#include "../Inputs/cuda.h"
int main(void) {
  void *p;
  return cudaMalloc(&p, 1);
}
#endif
