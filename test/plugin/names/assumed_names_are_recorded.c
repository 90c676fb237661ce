// An object brings hashes of the names that it assumed to be harmless, and its functions in which memory may move.
// RUN: %clang %gmp %ir %s | FileCheck %s
// RUN: %clang %gmp -c %s -o %t.o && llvm-readelf -SW %t.o | FileCheck --check-prefix=SECTIONS %s
// RUN: %clang %gmp %ir -DNOTHING %s | FileCheck --check-prefix=NOTHING --implicit-check-not=gpumemprof_assumed --implicit-check-not=gpumemprof_movers %s
// RUN: %clang %gmp %ir -fplugin-arg-gpumemprof-mode=every %s | FileCheck --check-prefix=EVERY --implicit-check-not=gpumemprof_assumed.table %s
// RUN: echo 'allocates:malloc' > %t.filter
// RUN: %clang %gmp %ir -fplugin-arg-gpumemprof-filter=%t.filter %s | FileCheck --check-prefix=FILTER %s
#include "../Inputs/cuda.h"
#include <stdlib.h>

// FNV-1a of "free" and of "malloc", in order of their unsigned value.
// CHECK-DAG: @gpumemprof_assumed.table = private constant [2 x i32] [i32 1435248461, i32 -1716261157], section "gpumemprof_assumed", no_sanitize_address, no_sanitize_hwaddress, align 4
// FILTER-DAG: @gpumemprof_assumed.table = private constant [1 x i32] {{.*}}, section "gpumemprof_assumed"
// Of "frees", which others can call; "hidden" they cannot. "dies" does not return, so callers trust it; it calls what nobody knows.
// CHECK-DAG: @gpumemprof_movers.table = private constant [2 x { i32, i32, i32, i32 }] [{ i32, i32, i32, i32 } { i32 -1639927176, i32 0, {{.*}} { i32 0, i32 1, {{.*}}section "gpumemprof_movers"
// CHECK-DAG: @llvm.used = {{.*}}@gpumemprof_movers.table
// SECTIONS-DAG: gpumemprof_assumed PROGBITS {{.*}} AR
// SECTIONS-DAG: gpumemprof_movers PROGBITS {{.*}} AR
// NOTHING: define {{.*}} @adds
// EVERY: section "gpumemprof_movers"
#ifdef NOTHING
void adds(char *s) { free(malloc(*s)); }
#else
void unknown(void);
static void hidden(void *p) {
  free(malloc(1));
  cudaFree(p);
}
void frees(void *p) { hidden(p); }
static _Noreturn void dies(void) {
  unknown();
  for (;;)
    ;
}
void main_like(int n) {
  if (n) dies();
}
#endif
