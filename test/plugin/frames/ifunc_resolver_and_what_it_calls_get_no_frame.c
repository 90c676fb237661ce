// The resolver of an ifunc runs while the program is being relocated, when thread-local variables may not
// exist: neither it nor a function that it calls has a frame. What it chooses has one.
// RUN: %clang %gmp -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -O2 -fPIC -pie %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -fplugin-arg-gpumemprof-mode=every -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: %clang %gmp -DELSEWHERE -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARN
#include "../Inputs/cuda.h"

#ifdef ELSEWHERE
int level(void);
// WARN: warning: 'best' runs before the program is relocated, as part of an ifunc resolver, and calls 'level' in another file; mark that function GPUMEMPROF_IGNORE
#else
static volatile int wanted = -1;
__attribute__((noinline)) static void probe(int n) {
  void *p; // never at start-up: only so that it would have a frame
  if (n > 100) cudaMalloc(&p, n);
}
__attribute__((noinline)) static int level(void) {
  probe(1);
  return wanted;
}
#endif
__attribute__((noinline)) static int best(void) { return level() > 3; }
static void plain(void) {
  void *p;
  cudaMalloc(&p, 1);
}
static void wide(void) {
  void *p;
  cudaMalloc(&p, 2);
}
static void (*choose(void))(void) { return best() ? wide : plain; }
void work(void) __attribute__((ifunc("choose")));
int main(void) {
  work();
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]] > plain:[[#]]
  return 0;
}
