// Kernels and other code without vector registers.
// RUN: %clang %gmp %ir -mno-sse2 %s | FileCheck %s
// RUN: %clang %gmp %ir -mno-implicit-float %s | FileCheck %s
// REQUIRES: x86_64
int unknown(int n);
int user(int n) { return unknown(n) + 1; }
// CHECK-LABEL: define {{.*}} @user(
// CHECK: load atomic i64, ptr @__gpumemprof_clock unordered
// CHECK-NEXT: call i64 @llvm.read_register.i64
// CHECK-NEXT: store i64 %{{.*}}, ptr
// CHECK: store i64 %{{.*}}, ptr
// CHECK-NOT: <2 x i64>
// CHECK: ret i32
