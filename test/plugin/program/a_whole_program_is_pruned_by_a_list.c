// The list of a linked program removes frames that one file alone has to keep; a wrong one is an error.
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -g1 -Xclang -disable-llvm-passes -emit-llvm -c %s -o %t/main.bc
// RUN: %clang -O2 -g1 -Xclang -disable-llvm-passes -emit-llvm -DOTHER -c %s -o %t/other.bc
// RUN: llvm-link %t/main.bc %t/other.bc -o %t/all.bc
// RUN: %opt -load-pass-plugin %pass -passes=gpumemprof-harmless -disable-output %t/all.bc > %t/list
// RUN: FileCheck --check-prefix=LIST --implicit-check-not=harmless: %s < %t/list
// LIST-DAG: {{^}}harmless:add{{$}}
// LIST-DAG: {{^}}harmless:adds_twice{{$}}
// RUN: %clang %gmp %ir %s | FileCheck --check-prefix=ALONE %s
// RUN: %clang %gmp -fplugin-arg-gpumemprof-filter=%t/list %ir %s | FileCheck %s
// RUN: %clang %gmp -fplugin-arg-gpumemprof-filter=%t/list %s -DOTHER -c -o %t/other.o
// RUN: %clang %gmp -fplugin-arg-gpumemprof-filter=%t/list %s %t/other.o %fake -o %t/a && %t/a | FileCheck --check-prefix=PATHS %s

// The function has changed since; a promise nobody can keep; a list of what was instrumented.
// RUN: not %clang %gmp -fplugin-arg-gpumemprof-filter=%t/list -DOTHER -DCHANGED -c %s -o %t/x.o 2>&1 | FileCheck --check-prefix=OLD %s
// OLD: error: the gpumemprof filter file says that 'add' is harmless, but it calls 'cudaFree' ({{.*}}.c:[[#OLD:]])
// RUN: echo 'harmless:calls*' > %t/wild
// RUN: not %clang %gmp -fplugin-arg-gpumemprof-filter=%t/wild -DOTHER -c %s -o %t/x.o 2>&1 | FileCheck --check-prefix=WILD %s
// WILD: error: {{.*}} 'calls_a_pointer' is harmless, but it calls through a pointer
// RUN: %clang %gmp %ir %s -o %t/done.ll
// RUN: not %opt -load-pass-plugin %pass -passes=gpumemprof-harmless -disable-output %t/done.ll 2>&1 | FileCheck --check-prefix=DONE %s
// DONE: error: gpumemprof-harmless needs the bitcode of a build without gpumemprof
#include "../Inputs/cuda.h"
int add(int a, int b), adds_twice(int a), elsewhere(int a);
void *make(size_t n);
void calls_a_pointer(void (*f)(void));
#ifdef OTHER
static void hidden(void *p) { cudaFree(p); }
int add(int a, int b) {
#ifdef CHANGED
  cudaFree(&a);
#endif
  return a + b;
}
void *make(size_t n) {
  void *p;
  cudaMalloc(&p, n);
  if (!p) hidden(p);
  return p;
}
void calls_a_pointer(void (*f)(void)) { f(); }
#else
static int hidden(int a) { return add(a, a); } // not the other file's
int adds_twice(int a) { return hidden(add(a, a)); }
// ALONE-LABEL: define {{.*}} @adds_twice(
// ALONE: %gpumemprof.frame =
// CHECK-LABEL: define {{.*}} @adds_twice(
// CHECK-NOT: %gpumemprof.frame =
// CHECK: ret i32
int makes(size_t n) { return make(n) != 0; }
// CHECK-LABEL: define {{.*}} @makes(
// CHECK: %gpumemprof.frame =
int main(void) {
  adds_twice(1);
  return !makes(7);
  // PATHS: cudaMalloc 7: main:[[#@LINE-1]] > makes:[[#]] > make:[[#]]{{$}}
}
#endif
