// REQUIRES: device-code
// With uses=pages a kernel with accesses that are not seen says so, and no other one does.
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-uses=pages -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -Wno-unknown-cuda-version -std=c++17 -O2 -S -emit-llvm %s -o - | FileCheck %s --implicit-check-not=__gpumemprof_unseen_
#define GLOBAL extern "C" __attribute__((global)) void
// CHECK: @__gpumemprof_unseen_hides = {{.*}}i8 1
GLOBAL hides(float *a) { asm volatile("st.global.f32 [%0], 0f00000000;" ::"l"(a) : "memory"); }
GLOBAL shows(float *a) { *a = 1; }
__attribute__((device)) __attribute__((noinline)) void hidden(float *a) { asm volatile("st.global.f32 [%0], 0f00000000;" ::"l"(a) : "memory"); }
