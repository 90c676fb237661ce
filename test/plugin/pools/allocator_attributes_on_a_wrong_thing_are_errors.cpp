// Each error names the parameter and what to do.
// RUN: not %clangxx %gmp -fsyntax-only -std=c++20 %s 2>&1 | FileCheck %s
#include <stddef.h>
#define ALLOC(...) __attribute__((gpumemprof_alloc(__VA_ARGS__)))
#define FREE(...) __attribute__((gpumemprof_dealloc(__VA_ARGS__)))
struct Big {
  long a, b, c;
};
struct S {
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 'gpumemprof_alloc' has no parameter 2 to look at: the function has 1, counted from 1 ('this' is not counted)
  void *a(size_t n) ALLOC(2);
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 'gpumemprof_alloc' has no parameter 0 to look at
  void *b(size_t n) ALLOC(0);
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 'gpumemprof_alloc' cannot count past parameter 1 ('big'), a structure by value; put that behind the others or pass it by reference
  void *c(Big big, size_t n) ALLOC(2);
  void *c2(size_t n, Big big) ALLOC(1);
  void *c3(Big &big, size_t n) ALLOC(2);
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 'gpumemprof_alloc' wants a size: parameter 1 ('p') is no integer
  void *d(void *p) ALLOC(1);
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 'gpumemprof_dealloc' wants what is freed: parameter 1 ('x') is no pointer
  void e(float x) FREE(1);
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 'gpumemprof_alloc' does not fit constructors and destructors; put it on a function that returns the memory or takes it back
  S(size_t n) ALLOC(1);
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 'gpumemprof_alloc' finds no pointer: the function returns none, and none of its parameters points to one that it could leave there
  int f(size_t n) ALLOC(1);
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 'gpumemprof_alloc' wants to know what the function returns; write its type instead of auto
  auto g(size_t n) ALLOC(1);
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 'gpumemprof_alloc' takes the number of the parameter with the size, and perhaps that of a count to multiply it by: (1) or (1, 2)
  void *h(size_t n, size_t m) ALLOC(1, 2, 3);
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 'gpumemprof_dealloc' takes the number of the parameter with the pointer: (1)
  void i(void *p) FREE("p");
  // CHECK: :[[#@LINE+1]]:{{.*}}error: 'gpumemprof_alloc' marks functions only; put it on the allocator's function
  int member ALLOC(1);
};
// CHECK: 11 errors generated
