// RUN: %clang %gmp -fplugin-arg-gpumemprof-source-text=off -O2 %s %fake -o %t
// RUN: env FAKE_RUNTIME_SITES=1 %t | FileCheck %s --implicit-check-not=size= --implicit-check-not=text=
// RUN: not grep -c "secret" %t
// CHECK: flags=2 {{.*}} variable=[p]
#include "../Inputs/cuda.h"
int main(void) {
  int *p;
  size_t secret = 4;
  cudaMalloc((void **)&p, secret * 2);
  return 0;
}
