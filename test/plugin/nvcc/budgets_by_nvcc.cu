// REQUIRES: cuda-toolkit
// nvcc preprocesses a file before the plugin can say that it has attributes.
// UNSUPPORTED: llvm-16
// nvcc re-prints the source; budgets of functions and blocks come through.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %nvcc -allow-unsupported-compiler -ccbin %clangxx -Xcompiler -fplugin=%plugin,-fplugin-arg-gpumemprof-mode=all %inc -arch=sm_90 -cudart none -Werror all-warnings -c %s -o %t/a.o
// RUN: %clangxx -c -O1 -x c++ %inputs/fake_fatbin.cpp -o %t/fatbin.o
// RUN: %clangxx %t/a.o %t/fatbin.o %fake -o %t/a && env FAKE_RUNTIME_SITES=1 %t/a | FileCheck %s
// RUN: not %nvcc -allow-unsupported-compiler -ccbin %clangxx -Xcompiler -fplugin=%plugin %inc -arch=sm_90 -cudart none -DBAD -c %s -o %t/a.o 2>&1 | FileCheck --check-prefix=BAD %s
// CHECK-DAG: site kind=1 flags=16 budgets_by_nvcc.cu:[[#@LINE+3]]:0 in make<float> {{.*}}size=[512MiB]
// CHECK-DAG: site kind=1 flags=96 budgets_by_nvcc.cu:[[#@LINE+7]]:0 in both{{$}}
#include <gpumemprof/gpumemprof.h>
template <class T> GPUMEMPROF_BUDGET("512MiB") static T *make(size_t n) {
  T *p;
  cudaMalloc(&p, n * sizeof(T));
  return p;
}
GPUMEMPROF_NO_ALLOC GPUMEMPROF_NO_LEAK static void both() { make<float>(4); }
#ifdef BAD
// BAD: budgets_by_nvcc.cu:[[#@LINE+1]]:{{.*}}error: 'gpumemprof_budget' wants a whole number with a unit
GPUMEMPROF_BUDGET("12 parsecs") void bad() {}
#endif
int main() {
  GPUMEMPROF_SCOPE_BUDGET("all", "24GiB");
  // CHECK: cudaMalloc 16: main:[[#@LINE+1]] > {{.*}}make<float>
  both();
  return 0;
}
