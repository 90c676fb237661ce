// A fiber may come back from a call on another thread, so the address of the shadow stack is computed again
// behind it. A signal handler may come between two stores, so a frame is filled before the top says that it is there, and
// the top says that it is gone before its end looks whether it is active.
// RUN: %clang %gmp --target=aarch64-linux-gnu -O2 -S %s -o - | FileCheck %s
// RUN: %clang %gmp --target=aarch64-linux-gnu -O2 -S -fplugin-arg-gpumemprof-runtime=weak %s -o - | FileCheck --check-prefix=WEAK %s
// RUN: %clang %gmp --target=aarch64-linux-gnu -O2 -c %s -o %t.o
#include "../Inputs/cuda.h"
int other(void);
int inlined(void) { return other() + 1; }
int user(void **p) {
  int n = (int)cudaMalloc(p, 1);
  return n + inlined();
}
// CHECK-LABEL: inlined:
// CHECK: mrs [[THREAD:x[0-9]+]], TPIDR_EL0
// CHECK: add [[STACK:x[0-9]+]], [[THREAD]], {{x[0-9]+}}
// CHECK: ldp [[FRAME:x[0-9]+]], {{x[0-9]+}}, [[[STACK]]]
// CHECK-DAG: stp {{x[0-9]+}}, {{x[0-9]+}}, [[[FRAME]], #16]
// CHECK-DAG: add [[TOP:x[0-9]+]], [[FRAME]], #96
// CHECK: str [[TOP]], [[[STACK]]]
// CHECK: bl other
// CHECK: mrs {{x[0-9]+}}, TPIDR_EL0
// CHECK: str [[FRAME]], [
// CHECK: ldr [[ACTIVE:x[0-9]+]], [[[FRAME]], #32]
// CHECK: cbnz [[ACTIVE]]

// CHECK-LABEL: __gpumemprof_{{keep|plain}}_enter:
// CHECK: stp [[SITE:x[0-9]+]], [[SITE]], [[[FRAME:x[0-9]+]]]
// CHECK: stp {{x[0-9]+}}, {{x[0-9]+}}, [[[FRAME]], #16]
// CHECK: str {{x[0-9]+}}, [
// CHECK: ldr [[CALL:x[0-9]+]], [[[FRAME]], #8]
// CHECK: cmp [[CALL]], [[SITE]]

// CHECK-LABEL: __gpumemprof_{{keep|plain}}_exit:
// CHECK: str x0, [
// CHECK: ldr {{x[0-9]+}}, [x0, #32]

// WEAK-LABEL: inlined:
// WEAK: :gottprel:__gpumemprof_own_stack
// WEAK: bl other
// WEAK: mrs {{x[0-9]+}}, TPIDR_EL0
