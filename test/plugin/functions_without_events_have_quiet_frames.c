// mode=every: a frame that holds its scope and nothing else; the site says so (flag 4), so that the runtime
// passes over it.
// RUN: %clang %gmp -fplugin-arg-gpumemprof-mode=every %ir %s | FileCheck %s
int quiet(int n) { return n + 1; }
// CHECK: @[[SITES:.*]] = private constant [1 x { i16, {{.*}} }] [{ i16, {{.*}} } { i16 1, i16 4, i32 4,
// CHECK-LABEL: define {{.*}} @quiet(
// CHECK: store ptr @[[SITES]], ptr %gpumemprof.frame
// CHECK-NOT: @__gpumemprof_clock
// CHECK: getelementptr {{.*}} %gpumemprof.frame, i64 64
// CHECK-NOT: @__gpumemprof_keep_scope_exit
// CHECK: store ptr %gpumemprof.frame, ptr
// CHECK: ret i32
