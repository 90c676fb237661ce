// The frame begins where every way to a call that may allocate goes through, and ends on the ways from there to
// the common return.
// RUN: %clang %gmp %ir %s | FileCheck %s
int unknown(int n);
// CHECK-LABEL: define {{.*}} @grow(
// CHECK-NOT: gpumemprof
// CHECK: icmp
// CHECK: br i1
// CHECK: if.end:
// CHECK: %gpumemprof.frame = phi
// CHECK: call i32 @unknown(
// CHECK: store ptr %gpumemprof.frame, ptr
// CHECK: br label %return
// CHECK: return:
// CHECK-NOT: gpumemprof.frame
// CHECK: ret i32
int grow(int n, int room) {
  if (n <= room) return room;
  return unknown(n);
}
// The same inside two conditions, with a switch on the way.
// CHECK-LABEL: define {{.*}} @nested(
// CHECK-NOT: gpumemprof
// CHECK: switch i32
// CHECK: sw.bb
// CHECK: %gpumemprof.frame = phi
int nested(int n, int *p) {
  switch (n) {
  case 1: return 7;
  case 2:
    if (!p) return 0;
    *p = unknown(n);
    return *p;
  default: return n;
  }
}
