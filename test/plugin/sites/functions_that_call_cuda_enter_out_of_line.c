// UNSUPPORTED: llvm-16
// There, __gpumemprof_plain_enter keeps no registers (result_of_the_frame_is_kept.c).
// Beside a CUDA call two nanoseconds do not show: enter and exit are calls of functions that hold the
// inline code once per object. Sites beyond the first are one step from the one before.
// RUN: %clang %gmp %ir %s | FileCheck %s
// RUN: %if x86_64 %{ %clang %gmp -O2 %s -S -o - | FileCheck --check-prefix=ASM %s %}
#include "../Inputs/cuda.h"
int user(void **p) {
  cudaMalloc(p, 1);
  cudaMalloc(p, 2);
  return cudaFree(*p);
}
// CHECK-LABEL: define {{.*}} @user(
// CHECK: %gpumemprof.frame = call preserve_mostcc ptr @__gpumemprof_keep_enter(ptr @gpumemprof.sites)
// CHECK: %[[CALL:.*]] = getelementptr {{.*}} %gpumemprof.frame, i64 8
// CHECK-NEXT: %[[BEFORE:.*]] = load ptr, ptr %[[CALL]]
// CHECK-NEXT: %[[NEXT:.*]] = getelementptr i8, ptr %[[BEFORE]], i64 48
// CHECK-NEXT: store ptr %[[NEXT]], ptr %[[CALL]]
// CHECK-NEXT: call i32 @__gpumemprof_thunk.cudaMalloc(
// CHECK: call i32 @__gpumemprof_thunk.cudaMalloc(
// CHECK: call preserve_mostcc void @__gpumemprof_keep_exit(ptr %gpumemprof.frame)
// CHECK: ret i32

// CHECK-LABEL: define linkonce_odr hidden preserve_mostcc ptr @__gpumemprof_keep_enter(ptr %0)
// CHECK: icmp uge
// CHECK: store ptr %0, ptr %gpumemprof.frame
// CHECK: ret ptr %gpumemprof.frame
// CHECK-LABEL: define linkonce_odr hidden preserve_mostcc void @__gpumemprof_keep_exit(ptr %0)

// CHECK-LABEL: define linkonce_odr hidden i32 @__gpumemprof_thunk.cudaMalloc(ptr noundef %0, i64 noundef %1)
// CHECK-SAME: comdat
// CHECK-NEXT: %[[TOLD:.*]] = load i32, ptr getelementptr inbounds (i8, ptr @__gpumemprof_clock, i64 8)
// CHECK-NEXT: %[[ASKED:.*]] = icmp ne i32 %[[TOLD]], 0
// CHECK-NEXT: br i1 %[[ASKED]], label %[[TELL:.*]], label %{{.*}}, !prof
// CHECK: [[TELL]]:
// CHECK-NEXT: call void @__gpumemprof_post_cudaMalloc(ptr noundef %0, i64 noundef %1, i32 -2147483648)
// CHECK: %[[HERE:.*]] = call i64 @llvm.read_register
// CHECK: %[[INSIDE:.*]] = getelementptr {{.*}}, i64 16
// CHECK-NEXT: store i64 %[[HERE]], ptr %[[INSIDE]]
// CHECK-NEXT: %[[RESULT:.*]] = call i32 @cudaMalloc(ptr noundef %0, i64 noundef %1)
// CHECK: %[[INSIDE:.*]] = getelementptr {{.*}}, i64 16
// CHECK-NEXT: store i64 0, ptr {{.*}}%[[INSIDE]]
// CHECK-NEXT: call void @__gpumemprof_post_cudaMalloc(ptr noundef %0, i64 noundef %1, i32 %[[RESULT]])
// CHECK-NEXT: ret i32 %[[RESULT]]

// ASM-LABEL: user:
// ASM-COUNT-3: addq $48, 8(%r
