; The pass module in opt: options in angle brackets, symbols without debug info, once only.
; RUN: %opt -load-pass-plugin %pass -passes='gpumemprof,verify' -S %s | FileCheck %s
; RUN: %opt -load-pass-plugin %pass -passes='gpumemprof<mode=every;runtime=weak>,verify' -S %s | FileCheck --check-prefix=WEAK %s
; RUN: %opt -load-pass-plugin %pass -passes='gpumemprof,gpumemprof,default<O2>' -S %s | FileCheck --check-prefix=ONCE %s
target triple = "x86_64-pc-linux-gnu"
declare i32 @cudaFree(ptr)

; CHECK-LABEL: define void @_ZN2ns4givePv(
; CHECK: %gpumemprof.frame =
; CHECK: call i32 @__gpumemprof_thunk.cudaFree(
define void @_ZN2ns4givePv(ptr %p) {
  %r = call i32 @cudaFree(ptr %p)
  ret void
}
; CHECK-LABEL: define void @nothing(
; CHECK-NEXT: ret void
; WEAK-LABEL: define void @nothing(
; WEAK-NEXT: ret void
define void @nothing() {
  ret void
}
; CHECK-LABEL: define void @harmless(
; CHECK-NEXT: call void @nothing
; WEAK-LABEL: define void @harmless(
; WEAK: %gpumemprof.frame =
define void @harmless() {
  call void @nothing()
  ret void
}
; CHECK-LABEL: define void @bare(
; CHECK-NEXT: call i32 @__gpumemprof_thunk.cudaFree
; WEAK-LABEL: define void @bare(
; WEAK-NEXT: call i32 @__gpumemprof_thunk.cudaFree
define void @bare() naked {
  call i32 @cudaFree(ptr null)
  unreachable
}
; CHECK: define linkonce_odr hidden i32 @__gpumemprof_thunk.cudaFree(ptr %0)
; CHECK: call void @__gpumemprof_pre_cudaFree(ptr %0)
; CHECK: store i64 %{{.*}}
; CHECK-NEXT: %[[RESULT:.*]] = call i32 @cudaFree(ptr %0)
; CHECK: store i64 0, ptr
; CHECK-NEXT: %[[TOLD:.*]] = load i32, ptr getelementptr inbounds (i8, ptr @__gpumemprof_clock, i64 8)
; CHECK-NEXT: %[[EITHER:.*]] = or i32 %[[RESULT]], %[[TOLD]]
; CHECK-NEXT: %[[FAILED:.*]] = icmp ne i32 %[[EITHER]], 0
; CHECK-NEXT: br i1 %[[FAILED]], label %[[THEN:.*]], label %[[DONE:[^,]*]]
; CHECK: [[THEN]]:
; CHECK-NEXT: call void @__gpumemprof_post_cudaFree(ptr %0, i32 %[[RESULT]])
; WEAK: icmp ne {{\(?}}ptr @__gpumemprof_pre_cudaFree, {{(ptr )?}}null
; CHECK: declare void @__gpumemprof_abi_v5(ptr)
; WEAK-DAG: declare extern_weak void @__gpumemprof_abi_v5(ptr)
; ONCE-COUNT-1: define linkonce_odr hidden i32 @__gpumemprof_thunk.cudaFree(
; ONCE-NOT: __gpumemprof_thunk.__gpumemprof_thunk
