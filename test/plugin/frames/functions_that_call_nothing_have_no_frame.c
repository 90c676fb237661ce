// In mode=every too: memory can not move there, so nobody would ever see it.
// RUN: %clang %gmp -fplugin-arg-gpumemprof-mode=every %ir %s | FileCheck %s
int unknown(int n);
// CHECK-LABEL: define {{.*}} @leaf(
// CHECK-NOT: gpumemprof
// CHECK: ret i32
int leaf(int n) { return __builtin_popcount((unsigned)n) + 1; }
// CHECK-LABEL: define {{.*}} @caller(
// CHECK: %gpumemprof.frame = phi
int caller(int n) { return leaf(n) + unknown(n); }
