// What only the whole file tells: two sizes, a function that is no scope, blocks.
// RUN: not %clang %gmp %inc -g -c %s -o %t 2>&1 | FileCheck %s
// RUN: not %clang %gmp %inc -O2 -c %s -o %t 2>&1 | FileCheck --check-prefix=NO-G %s
// RUN: %clang %inc -Wall -Werror -c %s -o %t
#include "../Inputs/cuda.h"
#include "gpumemprof/gpumemprof.h"
static void leak(size_t n) {
  void *p;
  cudaMalloc(&p, n);
}
// CHECK-DAG: error: 'two' has two budgets of different sizes; take one of them away ({{.*}}budgets_that_contradict_are_errors.c:[[#@LINE+2]])
GPUMEMPROF_BUDGET("512MiB") void two(void);
GPUMEMPROF_BUDGET("1GiB") void two(void) { leak(1); }
GPUMEMPROF_BUDGET("1GiB") void same(void);
GPUMEMPROF_BUDGET("1GiB") void same(void) { leak(1); }
// CHECK-DAG: error: 'neither' has a budget and is marked gpumemprof_ignore, so that it is no scope; take one of them away ({{.*}}:[[#@LINE+1]])
GPUMEMPROF_IGNORE GPUMEMPROF_NO_LEAK void neither(void) { leak(1); }
int main(void) {
  GPUMEMPROF_SCOPE_BUDGET("good", "1GiB");
  // CHECK-DAG: error: GPUMEMPROF_SCOPE_BUDGET wants a whole number with a unit, such as 512MiB or 24GiB, not '1 GB!' ({{.*}}budgets_that_contradict_are_errors.c:[[#@LINE+1]])
  GPUMEMPROF_SCOPE_BUDGET("bad", "1 GB!");
  GPUMEMPROF_SCOPE_NO_ALLOC("c");
  GPUMEMPROF_SCOPE_NO_LEAK("d");
  two(), same(), neither();
  return 0;
}
// CHECK: 3 errors generated
// NO-G: error: 'two' has two budgets of different sizes; take one of them away
// NO-G: 3 errors generated
