// cudaMemcpy() of the CUDA header can not allocate; cudaGrowBuffer(), declared by the program itself, may.
// RUN: %clang %gmp -x c++ -isystem %inputs/system %ir %s | FileCheck %s
#include <cuda_runtime_api.h>
extern "C" {
int cudaGrowBuffer(int);
// CHECK-LABEL: define {{.*}} @calls_the_api(
// CHECK-NOT: gpumemprof.frame
// CHECK: ret i32
int calls_the_api(void *p) { return cudaMemcpy(p, p, 1, 1); }
// CHECK-LABEL: define {{.*}} @calls_its_own(
// CHECK: gpumemprof.frame =
int calls_its_own(void) { return cudaGrowBuffer(1); }
}
