// UNSUPPORTED: llvm-16
// Every spelling, on declarations and definitions, methods, templates, lambdas, several together: the site
// says it, no hook is called, and nothing but the site is left in the module.
// RUN: %clangxx %gmp %inc -std=c++17 -Wall -Werror -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp %inc -std=c++17 -O2 %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp %inc -std=c++17 -O2 %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | FileCheck --check-prefix=SITES %s
// RUN: %clangxx %gmp %inc -fplugin-arg-gpumemprof-source-text=off -O2 %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | FileCheck --check-prefix=SITES %s
// RUN: %clangxx %gmp %inc -fplugin-arg-gpumemprof-mode=annotated -O2 %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | FileCheck --check-prefix=SITES %s
// RUN: %clangxx %gmp %inc -std=c++17 -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=IR %s
// RUN: %clangxx %inc -std=c++17 -Wall -Werror -Wno-unknown-attributes -O2 -c %s -o %t
// IR-NOT: llvm.global.annotations
// IR-NOT: __gpumemprof_profile_enter
#include "../Inputs/cuda.h"
#include "gpumemprof/gpumemprof.h"
static inline void leak(size_t n) {
  void *p;
  cudaMalloc(&p, n);
}
#define GIB "1GiB"
GPUMEMPROF_BUDGET("512MiB") void declared();
GPUMEMPROF_BUDGET("512MiB") void declared() { leak(1); }
GPUMEMPROF_BUDGET(GIB) GPUMEMPROF_NO_ALLOC GPUMEMPROF_NO_LEAK void all() { leak(2); }
[[gpumemprof::no_alloc]] static void scoped() { leak(3); }
[[gpumemprof_budget("7" " B")]] static void unscoped() { leak(4); }
struct S {
  GPUMEMPROF_NO_LEAK void inside() { leak(5); }
  GPUMEMPROF_BUDGET("0") void outside();
  template <class T> GPUMEMPROF_BUDGET("1k") void templated(T) { leak(6); }
};
void S::outside() { leak(7); }
// It moves no memory, so it keeps any budget: no frame.
GPUMEMPROF_NO_ALLOC static int quiet(int n) { return n + 1; }
int main() {
  declared();
  // CHECK: cudaMalloc 1: main:[[#@LINE-1]] > declared:[[#]] > leak
  all();
  // CHECK-NEXT: cudaMalloc 2: main:[[#@LINE-1]] > all:[[#]] > leak
  scoped();
  // CHECK-NEXT: cudaMalloc 3: main:[[#@LINE-1]] > scoped:[[#]] > leak
  unscoped();
  // CHECK-NEXT: cudaMalloc 4: main:[[#@LINE-1]] > unscoped:[[#]] > leak
  S s;
  s.inside();
  s.outside();
  s.templated(1);
  // CHECK: cudaMalloc 6: main:[[#@LINE-1]] > S::templated<int>:[[#]] > leak
  [](int n) GPUMEMPROF_NO_ALLOC { leak(n); }(8);
  // CHECK-NEXT: cudaMalloc 8: main:[[#@LINE-1]] > main::'lambda'(int)::operator():[[#]] > leak
  return quiet(-1);
}
// SITES-DAG: site kind=1 flags=16 {{.*}} in declared {{.*}}size=[512MiB]
// SITES-DAG: site kind=1 flags=112 {{.*}} in all {{.*}}size=[1GiB]
// SITES-DAG: site kind=1 flags=32 {{.*}} in scoped{{$}}
// SITES-DAG: site kind=1 flags=16 {{.*}} in unscoped {{.*}}size=[7 B]
// SITES-DAG: site kind=1 flags=64 {{.*}} in S::inside{{$}}
// SITES-DAG: site kind=1 flags=16 {{.*}} in S::outside {{.*}}size=[0]
// SITES-DAG: site kind=1 flags=16 {{.*}} in S::templated<int> {{.*}}size=[1k]
// SITES-NOT: in quiet
