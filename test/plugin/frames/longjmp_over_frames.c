// longjmp past instrumented frames and past code that was not rebuilt: the frame of setjmp's caller is
// current again, whatever lay above.
// RUN: %clang -O1 -DFOREIGN -c %s -o %t.o
// RUN: %clang %gmp -O0 %s %t.o %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -O2 %s %t.o %fake -o %t && %t | FileCheck %s
#include "../Inputs/cuda.h"
#include <setjmp.h>

void foreign(void (*f)(void));
#ifdef FOREIGN
void foreign(void (*f)(void)) {
  f();
  __asm__ volatile(""); /* not a tail call */
}
#else
static jmp_buf there;
static void jumps(void) {
  void *p;
  cudaMalloc(&p, 1);
  fake_path("before");
  longjmp(there, 1);
}
int main(void) {
  if (setjmp(there) == 0) foreign(jumps);
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]] > jumps:[[#]]
  // CHECK-NEXT: before: main:[[#@LINE-2]] > jumps:[[#]]
  void *p;
  cudaMalloc(&p, 2);
  // CHECK-NEXT: cudaMalloc 2: main:[[#@LINE-1]]{{$}}
  return 0;
}
#endif
