// With unaccounted=calls, and only then, calls of closed CUDA libraries and of what makes contexts
// have sites and go through a thunk that takes samples.
// RUN: %clang %gmp -fplugin-arg-gpumemprof-unaccounted=calls %ir %s | FileCheck %s
// RUN: %clang %gmp %ir %s | FileCheck --check-prefix=OFF %s
int cublasCreate_v2(void **handle);
void cudaSetDevice_is_not_it(int device);
int cudaSetDevice(int device);
struct big {
  long a, b, c, d;
};
struct big cusolverThing(struct big by_value);
double sqrt(double);

int user(void **handle) {
  cudaSetDevice(1);
  struct big b = {1, 2, 3, 4};
  return cublasCreate_v2(handle) + (int)cusolverThing(b).a + (int)sqrt(2.0);
}
// CHECK-LABEL: define {{.*}} @user(
// CHECK: %gpumemprof.frame
// CHECK: call i32 @__gpumemprof_thunk.cudaSetDevice(
// CHECK: call i32 @__gpumemprof_thunk.cublasCreate_v2(
// CHECK: call void @__gpumemprof_thunk.cusolverThing(ptr {{.*}}sret(%struct.big)
// CHECK-NOT: thunk.sqrt
// CHECK-LABEL: define linkonce_odr hidden i32 @__gpumemprof_thunk.cublasCreate_v2(ptr
// CHECK: %[[SAMPLE:.*]] = alloca [4 x i64]
// CHECK-NEXT: call void @__gpumemprof_sample_before(ptr %[[SAMPLE]])
// CHECK-NEXT: %[[RESULT:.*]] = call i32 @cublasCreate_v2(ptr
// CHECK-NEXT: call void @__gpumemprof_sample_after(ptr %[[SAMPLE]])
// CHECK-NEXT: ret i32 %[[RESULT]]
// OFF-NOT: __gpumemprof_sample
// OFF-NOT: thunk.cu
