// REQUIRES: x86_64
// A call of one of CUDA's libraries reaches the runtime with the pointers that it passes, but not with those to the program's own variables.
// Functions that use no memory have no hook, nor has a function of the program that has the name of one.
// RUN: %clangxx %gmp -O0 %s %fake -o %t && env FAKE_RUNTIME_USES=1 %t | FileCheck %s
// RUN: %clangxx %gmp -O2 %s %fake -o %t && env FAKE_RUNTIME_USES=1 %t | FileCheck %s
// RUN: %t | FileCheck %s --check-prefix=OFF --implicit-check-not=use
// RUN: %clangxx %gmp -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
#include <stdio.h>
#include <stdlib.h>
extern "C" {
int cublasSscal_v2(void *handle, int n, const float *alpha, float *x, int step);
int cublasSgemmBatched(void *handle, float *const *list);
int cublasSgemmStridedBatched(void *handle, float *x);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetWorkspace_v2(void *handle, void *workspace, size_t size);
int cublasLtMatmulDescSetAttribute(void *description, int attribute, const void *value, size_t size);
int ncclGroupEnd();
int cudnnBackendExecute(void *handle, void *plan, void *arguments);
__attribute__((noinline)) int nppOwn(void *p) { return p != nullptr; }
}
// Its library, in assembly, so that it is no code of ours.
__asm__(".globl cublasSscal_v2, cublasSgemmBatched, cublasSgemmStridedBatched, cublasSetStream_v2, cublasSetWorkspace_v2, cublasLtMatmulDescSetAttribute, ncclGroupEnd, cudnnBackendExecute\n"
        "cublasSscal_v2:\ncublasSgemmBatched:\ncublasSgemmStridedBatched:\ncublasSetStream_v2:\ncublasSetWorkspace_v2:\ncublasLtMatmulDescSetAttribute:\nncclGroupEnd:\ncudnnBackendExecute:\n"
        "xor %eax, %eax\nret\n");
__attribute__((noinline)) static void run(void *handle, float *x, void *y) {
  float alpha = 2;
  // CHECK: library use 5 of 10 1000: site kind=6 flags=0 library_calls_have_their_pointers.cpp:[[#@LINE+1]]:3 in run calls cublasSscal_v2
  cublasSscal_v2(handle, 7, &alpha, x, 1);
  // CHECK-NEXT: library use 1 of 10 2000: site kind=6 {{.*}}:[[#@LINE+1]]:3 in run
  cublasSgemmBatched(handle, (float **)y);
  // CHECK-NEXT: library use 5 of 10 1000: site kind=6 {{.*}}:[[#@LINE+1]]:3 in run
  cublasSgemmStridedBatched(handle, x);
  cublasSetStream_v2(handle, y);
  // CHECK-NEXT: library use 2 of 10 2000: site kind=6 {{.*}}:[[#@LINE+1]]:3 in run
  cublasSetWorkspace_v2(handle, y, 8);
  // CHECK-NEXT: library use 3 of 10 {{[0-9a-f]+}}: site kind=6 {{.*}}:[[#@LINE+1]]:3 in run
  cublasLtMatmulDescSetAttribute(handle, 1, &y, sizeof y);
  // CHECK-NEXT: library use 2 of: site kind=6 {{.*}}:[[#@LINE+1]]:3 in run
  ncclGroupEnd();
  // CHECK-NEXT: library use 4 of: site kind=6 {{.*}}:[[#@LINE+1]]:3 in run
  cudnnBackendExecute(handle, x, y);
  nppOwn(x);
}
int main() {
  run((void *)16, (float *)4096, (void *)8192);
  // CHECK-NEXT: done
  // OFF: done
  puts("done");
}
// IR: br i1 %{{[0-9]+}}, label %{{.*}}, label %{{.*}}, !prof !{{[0-9]+}}
// IR: call void @__gpumemprof_use_library(
