// RUN: %clang %gmp %ir %s | FileCheck %s
int unknown(int n);
int user(int n) { return unknown(n) + 1; }
// The function's sites: itself (kind 1, line), its call (kind 3, line, column); strings by 32-bit distances.
// CHECK-DAG: @[[SITES:.*]] = private constant [2 x { i16, {{.*}} }] [{ i16, {{.*}} } { i16 1, i16 0, i32 3, i32 0, i32 add (i32 trunc (i64 add (i64 sub (i64 ptrtoint (ptr @gpumemprof.texts to i64), i64 ptrtoint (ptr @gpumemprof.sites to i64)), i64 -96) to i32), i32 84), {{.*}} { i16 3, i16 0, i32 3, i32 26, {{.*}}, section "gpumemprof_sites", {{.*}}align 8
// CHECK-DAG: @__gpumemprof_stack = external thread_local(initialexec) global { ptr, ptr, ptr }
// CHECK-DAG: @__gpumemprof_clock = external global { i64, i64 }

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
// CHECK: store ptr @[[SITES]], ptr %gpumemprof.frame
// CHECK: %[[ENTRY_AT:.*]] = getelementptr {{.*}} %gpumemprof.frame, i64 16
// CHECK: %[[CLOCK:.*]] = load i64, ptr @__gpumemprof_clock
// CHECK: %[[STACK:.*]] = call i64 @llvm.read_register.i64
// CHECK: %[[FIRST:.*]] = insertelement <2 x i64> poison, i64 %[[CLOCK]], i64 0
// CHECK: %[[BOTH:.*]] = insertelement <2 x i64> %[[FIRST]], i64 %[[STACK]], i64 1
// CHECK: store <2 x i64> %[[BOTH]], ptr %[[ENTRY_AT]]
// CHECK: getelementptr {{.*}} %gpumemprof.frame, i64 96
// CHECK: store ptr %{{.*}}, ptr %[[ADDRESS]]
// call
// CHECK: %[[CALL_AT:.*]] = getelementptr {{.*}} %gpumemprof.frame, i64 8
// CHECK-NEXT: store ptr getelementptr inbounds (i8, ptr @[[SITES]], i64 48), ptr %[[CALL_AT]]
// CHECK-NEXT: call i32 @unknown(
// exit
// CHECK: store ptr %gpumemprof.frame, ptr
// CHECK: %[[ACTIVE_AT:.*]] = getelementptr {{.*}} %gpumemprof.frame, i64 32
// CHECK: %[[ACTIVE:.*]] = load ptr, ptr %[[ACTIVE_AT]]
// CHECK: %[[TOUCHED:.*]] = icmp ne ptr %[[ACTIVE]], null
// CHECK: br i1 %[[TOUCHED]]
// CHECK: call preserve_mostcc void @__gpumemprof_keep_scope_exit(ptr %gpumemprof.frame)
// CHECK: ret i32
// REQUIRES: x86_64
