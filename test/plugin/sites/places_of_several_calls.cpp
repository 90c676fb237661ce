// Sites of several calls have a flag: those of one macro. Calls that are next to each other, in a loop, or in a template have
// none, nor has a clean-up, which clang makes twice.
// RUN: echo "library:own_*" > %t.filter
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-filter=%t.filter -O0 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | FileCheck %s --implicit-check-not="kind=6 flags=1638" --implicit-check-not=flags=16386
// RUN: %clangxx %gmp -fplugin-arg-gpumemprof-filter=%t.filter -O2 -isystem %inputs/system %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | FileCheck %s --implicit-check-not="kind=6 flags=1638" --implicit-check-not=flags=16386
#include <cuda_runtime_api.h>
extern "C" {
int cudaMemset(void *to, int value, size_t n);
void own_close(char **p);
}
// Its library, in assembly, so that it is no code of ours.
__asm__(".globl own_close\nown_close:\nret\n");
#define THREE(p) cudaMemset(p, 0, 1), cudaMemset(p, 1, 1), cudaMemcpy(p, p, 1, 0)
#define ALLOCATE(p, q) cudaMalloc(&p, 1), cudaMalloc(&q, 1)
#define ONE(p) cudaMemset(p, 0, 1)
void may_throw();
static char a[8];
template <class T> static void instance(T *p) {
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+2]]:3 in instance<char> calls cudaMemset
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:3 in instance<int> calls cudaMemset
  cudaMemset(p, 0, 1);
}
struct filled {
  char *p;
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:15 in filled::~filled calls cudaMemset
  ~filled() { cudaMemset(p, 0, 1); }
};
static void in_macros() {
  // CHECK-DAG: site kind=6 flags=16384 {{.*}}:[[#@LINE+3]]:3 in in_macros calls cudaMemset
  // CHECK-DAG: site kind=6 flags=16384 {{.*}}:[[#@LINE+2]]:3 in in_macros calls cudaMemset
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:3 in in_macros calls cudaMemcpy
  THREE(a);
  char *p, *q;
  // CHECK-DAG: site kind=3 flags=16386 {{.*}}:[[#@LINE+2]]:3 in in_macros calls cudaMalloc
  // CHECK-DAG: site kind=3 flags=16386 {{.*}}:[[#@LINE+1]]:3 in in_macros calls cudaMalloc
  ALLOCATE(p, q);
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:3 in in_macros calls cudaMemset
  ONE(p);
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+2]]:3 in in_macros calls cudaMemset
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:11 in in_macros calls cudaMemset
  ONE(p), ONE(q);
}
static void one_by_one() {
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+2]]:3 in one_by_one calls cudaMemset
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:24 in one_by_one calls cudaMemset
  cudaMemset(a, 0, 1), cudaMemset(a, 1, 1);
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:31 in one_by_one calls cudaMemset
  for (int i = 0; i < 3; i++) cudaMemset(a, 0, 1);
  instance(a);
  instance((int *)a);
}
static void clean_ups() {
  filled f{a};
  may_throw();
  char *p __attribute__((cleanup(own_close))) = a;
  may_throw();
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+2]]:1 in clean_ups calls own_close
  // CHECK-DAG: site kind=6 flags=0 {{.*}}:[[#@LINE+1]]:1 in clean_ups calls own_close
}
static void in_a_handler() {
  try {
    may_throw();
  } catch (...) {
    // CHECK-DAG: site kind=6 flags=16384 {{.*}}:[[#@LINE+2]]:5 in in_a_handler calls cudaMemset
    // CHECK-DAG: site kind=6 flags=16384 {{.*}}:[[#@LINE+1]]:5 in in_a_handler calls cudaMemset
    THREE(a);
  }
}
__attribute__((noinline)) void may_throw() {
  if (a[0] == 77) throw 1;
}
int main() {
  in_macros();
  one_by_one();
  clean_ups();
  in_a_handler();
}
