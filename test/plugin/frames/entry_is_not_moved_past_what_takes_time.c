// The entry clock is that of the function's entry: a loop or a call before the first branch keeps it there.
// RUN: %clang %gmp %ir %s | FileCheck %s
int unknown(int n);
__attribute__((noinline)) static int slow(int n) {
  while (n & (n - 1)) n *= 3;
  return n;
}
// CHECK-LABEL: define {{.*}} @after_a_call(
// CHECK: %gpumemprof.frame = phi
// CHECK: call i32 @slow(
int after_a_call(int n) {
  if (slow(n)) return 0;
  return unknown(n);
}
// CHECK-LABEL: define {{.*}} @after_a_loop(
// CHECK: %gpumemprof.frame = phi
// CHECK: while.cond
int after_a_loop(int n) {
  if (n < 0) return 0;
  while (n & (n - 1)) n *= 3;
  if (n == 64) return 1;
  return unknown(n);
}
// Two ways that need the frame.
// CHECK-LABEL: define {{.*}} @two_ways(
// CHECK: %gpumemprof.frame = phi
// CHECK: br i1
// CHECK: call i32 @unknown(
int two_ways(int n) {
  if (n < 0) return unknown(n) + 1;
  return unknown(n);
}
