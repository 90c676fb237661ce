// RUN: %clang %gmp %ir %s | FileCheck %s
#include "Inputs/cuda.h"
int user(int n) {
  void *p;
  return cudaMalloc(&p, n) + 1;
}
// The site: kind 3, line, column; strings by 32-bit distances.
// CHECK-DAG: @[[CALL:.*]] = private constant { i16, {{.*}} } { i16 3, i16 2, i32 5, i32 10, i32 trunc (i64 sub (i64 ptrtoint (ptr @gpumemprof.text{{.*}} to i64), i64 ptrtoint (ptr getelementptr {{.*}} to i64)) to i32), {{.*}}, section "gpumemprof_sites", {{.*}}align 8
// CHECK-DAG: @[[SCOPE:.*]] = private constant { i16, {{.*}} } { i16 1, i16 0, i32 3, i32 0, {{.*}}, section "gpumemprof_sites", {{.*}}align 8
// CHECK-DAG: @__gpumemprof_stack = external thread_local(initialexec) global { ptr, ptr }
// CHECK-DAG: @__gpumemprof_clock = external global i64

// CHECK-LABEL: define {{.*}} @user(
// enter
// CHECK: %[[ADDRESS:.*]] = call {{.*}}ptr @llvm.threadlocal.address.p0(ptr {{.*}}@__gpumemprof_stack)
// CHECK: %[[TOP:.*]] = load ptr, ptr %[[ADDRESS]]
// CHECK: %[[LIMIT_AT:.*]] = getelementptr {{.*}} %[[ADDRESS]], i64 8
// CHECK: %[[LIMIT:.*]] = load ptr, ptr %[[LIMIT_AT]]
// CHECK: %[[FULL:.*]] = icmp uge ptr %[[TOP]], %[[LIMIT]]
// CHECK: br i1 %[[FULL]], label %[[SLOW:.*]], label %{{.*}}, {{.*}}!prof
// CHECK: call preserve_mostcc void @__gpumemprof_keep_frame_slow()
// CHECK: %gpumemprof.frame = phi ptr [ %[[TOP]], %{{.*}} ], [ %{{.*}}, %{{.*}} ]
// CHECK: store ptr @[[SCOPE]], ptr %gpumemprof.frame
// CHECK: load atomic i64, ptr @__gpumemprof_clock unordered
// CHECK: getelementptr {{.*}} %gpumemprof.frame, i64 16
// CHECK: store i64
// CHECK: getelementptr {{.*}} %gpumemprof.frame, i64 24
// CHECK: call i64 @llvm.read_register.i64
// CHECK: store i64
// CHECK: getelementptr {{.*}} %gpumemprof.frame, i64 32
// CHECK: store ptr null
// CHECK: getelementptr {{.*}} %gpumemprof.frame, i64 64
// CHECK: store ptr %{{.*}}, ptr %[[ADDRESS]]
// call
// CHECK: %[[CALL_AT:.*]] = getelementptr {{.*}} %gpumemprof.frame, i64 8
// CHECK-NEXT: store ptr @[[CALL]], ptr %[[CALL_AT]]
// CHECK-NEXT: call i32 @__gpumemprof_thunk.cudaMalloc(
// exit
// CHECK: %[[ACTIVE_AT:.*]] = getelementptr {{.*}} %gpumemprof.frame, i64 32
// CHECK: %[[ACTIVE:.*]] = load ptr, ptr %[[ACTIVE_AT]]
// CHECK: %[[TOUCHED:.*]] = icmp ne ptr %[[ACTIVE]], null
// CHECK: br i1 %[[TOUCHED]]
// CHECK: call preserve_mostcc void @__gpumemprof_keep_scope_exit(ptr %gpumemprof.frame)
// CHECK: store ptr %gpumemprof.frame, ptr
// CHECK: ret i32

// CHECK-LABEL: define linkonce_odr hidden i32 @__gpumemprof_thunk.cudaMalloc(ptr noundef %0, i64 noundef %1)
// CHECK-SAME: comdat
// CHECK-NEXT: %[[RESULT:.*]] = call i32 @cudaMalloc(ptr noundef %0, i64 noundef %1)
// CHECK-NEXT: call void @__gpumemprof_post_cudaMalloc(ptr noundef %0, i64 noundef %1, i32 %[[RESULT]])
// CHECK-NEXT: ret i32 %[[RESULT]]
