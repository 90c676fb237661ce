// Every spelling, on declarations and definitions, methods, templates, lambdas; nothing but the mark is
// left in the module.
// RUN: %clangxx %gmp -std=c++17 -Wall -Werror -O0 %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -std=c++17 -O2 %s %fake -o %t && %t | FileCheck %s
// RUN: %clangxx %gmp -std=c++17 -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=IR %s
// RUN: %clangxx %gmp -std=c++17 -O2 %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | FileCheck --check-prefix=SITES %s
// IR-NOT: llvm.global.annotations
// SITES: site kind=1 flags=1 {{.*}} in declared
#include "../Inputs/cuda.h"
void declared() __attribute__((gpumemprof_profile));
void declared() {}
[[gpumemprof::profile]] static void scoped() {}
[[gpumemprof_profile]] static void unscoped() {}
struct S {
  __attribute__((gpumemprof_profile)) void inside() {}
  __attribute__((gpumemprof_profile)) void outside();
  template <class T> __attribute__((gpumemprof_profile)) void templated(T) {}
};
void S::outside() {}
int main() {
  declared();
  // CHECK: profile declared
  scoped();
  // CHECK-NEXT: profile scoped
  unscoped();
  // CHECK-NEXT: profile unscoped
  S s;
  s.inside();
  // CHECK-NEXT: profile S::inside
  s.outside();
  // CHECK-NEXT: profile S::outside
  s.templated(1);
  // CHECK-NEXT: profile S::templated<int>
  auto lambda = [](int) __attribute__((gpumemprof_profile)) {};
  lambda(1);
  // CHECK-NEXT: profile main::'lambda'(int)::operator()
}
