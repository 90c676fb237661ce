// RUN: %clang %gmp -m32 -O1 -Xclang -disable-llvm-verifier -S -emit-llvm %s -o - 2>&1 | FileCheck %s
// RUN: %clang %gmp --target=aarch64-linux-gnu -O2 -S %s -o - | FileCheck --check-prefix=ARM %s
// CHECK: warning: gpumemprof does not know the target {{(i386|arm).*}} and does not instrument this file; it supports x86-64 and AArch64 Linux
// CHECK-NOT: call{{.*}}__gpumemprof
typedef __SIZE_TYPE__ size_t;
int cudaMalloc(void **p, size_t n);
int unknown(void);
int f(void **p) { return cudaMalloc(p, 1) + unknown(); }
// ARM-LABEL: g:
// ARM: mov {{x[0-9]+}}, sp
// ARM: bl unknown
int g(void) { return unknown() + 1; }
