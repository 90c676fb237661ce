// A switch to another machine stack: the runtime is called before it, and when control is back.
// RUN: %clang %gmp %ir %s | FileCheck %s
// RUN: %clang %gmp -fplugin-arg-gpumemprof-runtime=weak %ir %s | FileCheck --check-prefix=WEAK %s
#include <ucontext.h>
int to_fiber(ucontext_t *here, ucontext_t *there) { return swapcontext(here, there) + 1; }
// CHECK-LABEL: define {{.*}} @to_fiber(
// CHECK: call i32 @__gpumemprof_thunk.swapcontext(
// CHECK-LABEL: define linkonce_odr hidden i32 @__gpumemprof_thunk.swapcontext(ptr %0, ptr %1)
// CHECK: store ptr null, ptr %[[LEFT:[0-9]+]]
// CHECK: call void @__gpumemprof_fiber_leave(ptr %[[LEFT]])
// CHECK: call i32 @swapcontext(ptr %0, ptr %1)
// CHECK: call void @__gpumemprof_fiber_back(ptr %[[LEFT]])
// WEAK: icmp ne {{\(?}}ptr @__gpumemprof_fiber_leave, {{(ptr )?}}null
// WEAK: call i32 @swapcontext(
// WEAK: icmp ne {{\(?}}ptr @__gpumemprof_fiber_back, {{(ptr )?}}null
