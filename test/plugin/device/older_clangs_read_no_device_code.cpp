// UNSUPPORTED: device-code
// RUN: not %clangxx %gmp -fplugin-arg-gpumemprof-uses=pages -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clangxx %gmp -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -S -emit-llvm %s -o - | not grep gpumemprof
// CHECK: error: uses=pages of gpumemprof needs a newer clang for the device code
__attribute__((global)) void kernel(float *p) { *p = 1; }
