// Templates, inlined callees, lambdas, recursion, exceptions, longjmp: the paths of all events are the
// same whatever the optimiser did.
// RUN: %clangxx %gmp -std=c++17 -O0 %s %fake -o %t && %t > %t.0
// RUN: FileCheck %s < %t.0
// RUN: %clangxx %gmp -std=c++17 -O1 %s %fake -o %t && %t | diff %t.0 -
// RUN: %clangxx %gmp -std=c++17 -O2 %s %fake -o %t && %t | diff %t.0 -
// RUN: %clangxx %gmp -std=c++17 -O3 %s %fake -o %t && %t | diff %t.0 -
// RUN: %clangxx %gmp -std=c++17 -Os %s %fake -o %t && %t | diff %t.0 -
// RUN: %clangxx %gmp -std=c++17 -O2 -g %s %fake -o %t && %t | diff %t.0 -
#include "../Inputs/cuda.h"
#include <algorithm>
#include <csetjmp>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

template <class T> struct Buffer {
  T *p = nullptr;
  explicit Buffer(size_t n) {
    if (cudaMalloc((void **)&p, n * sizeof(T))) throw std::runtime_error("no memory");
  }
  Buffer(Buffer &&o) : p(o.p) { o.p = nullptr; }
  ~Buffer() {
    if (p) cudaFree(p);
  }
};
struct Derived : Buffer<float> {
  Derived() : Buffer<float>(3) {}
  ~Derived() {}
};
struct Implicit {
  Buffer<int> b{7};
};
struct Abstract {
  virtual ~Abstract() {}
  virtual void go() = 0;
};
struct Concrete : Abstract {
  Buffer<char> b{11};
  void go() override { Buffer<char> local(12); }
};
static int recurse(int n) {
  if (!n) {
    Buffer<char> b(5);
    return 0;
  }
  int r = recurse(n - 1);
  return r + 1;
}
static void throws(int depth) {
  Buffer<float> b(depth);
  if (!depth) throw depth;
  throws(depth - 1);
}
static void catches() {
  try {
    throws(2);
  } catch (int) {
    fake_path("caught");
    Buffer<char> b(77);
  }
}
static jmp_buf there;
static void jumps(int n) {
  void *p;
  cudaMalloc(&p, n);
  if (n == 21) longjmp(there, 1);
  jumps(n + 1);
  cudaFree(p);
}
static void sets() {
  if (setjmp(there) == 0) jumps(20);
  fake_path("jumped");
}
static Buffer<float> global(99);

int main() {
  // CHECK: cudaMalloc 396: __cxx_global_var_init:[[#]] > Buffer<float>::Buffer:[[#]]
  { Buffer<double> b(2); }
  // CHECK-NEXT: cudaMalloc 16: main:[[#@LINE-1]] > Buffer<double>::Buffer:[[#]]
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE-2]] > Buffer<double>::~Buffer:[[#]]
  { Derived d; }
  // CHECK-NEXT: cudaMalloc 12: main:[[#@LINE-1]] > Derived::Derived:[[#]] > Buffer<float>::Buffer:[[#]]
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE-2]] > Buffer<float>::~Buffer:[[#]]
  { Implicit i; }
  // CHECK-NEXT: cudaMalloc 28: main:[[#@LINE-1]] > Buffer<int>::Buffer:[[#]]
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE-2]] > Buffer<int>::~Buffer:[[#]]
  {
    std::unique_ptr<Abstract> p(new Concrete);
    p->go();
  }
  // CHECK-NEXT: cudaMalloc 11: main:[[#@LINE-3]] > Buffer<char>::Buffer:[[#]]
  // CHECK-NEXT: cudaMalloc 12: main:[[#@LINE-3]] > Concrete::go:[[#]] > Buffer<char>::Buffer:[[#]]
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE-4]] > Concrete::go:[[#]] > Buffer<char>::~Buffer:[[#]]
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE-4]] > Buffer<char>::~Buffer:[[#]]
  {
    std::vector<Buffer<float>> v;
    v.emplace_back(1);
    v.emplace_back(2);
  }
  // CHECK-NEXT: cudaMalloc 4: main:[[#@LINE-3]] > Buffer<float>::Buffer:[[#]]
  // CHECK-NEXT: cudaMalloc 8: main:[[#@LINE-3]] > Buffer<float>::Buffer:[[#]]
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE-3]] > Buffer<float>::~Buffer:[[#]]
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE-4]] > Buffer<float>::~Buffer:[[#]]
  auto leak = [](int n) {
    void *p;
    cudaMalloc(&p, n);
  };
  std::function<void(int)> f = leak;
  f(6);
  // CHECK-NEXT: cudaMalloc 6: main:[[#@LINE-1]] > main::'lambda'(int)::operator():[[#@LINE-4]]
  int a[] = {1, 2};
  std::for_each(a, a + 2, [&](int n) { leak(n); });
  // CHECK-NEXT: cudaMalloc 1: main:[[#@LINE-1]] > main::'lambda0'(int)::operator():[[#@LINE-1]] > main::'lambda'(int)::operator():[[#]]
  // CHECK-NEXT: cudaMalloc 2: main:[[#@LINE-2]] > main::'lambda0'(int)::operator():[[#@LINE-2]] > main::'lambda'(int)::operator():[[#]]
  recurse(2);
  // CHECK-NEXT: cudaMalloc 5: main:[[#@LINE-1]] > recurse:[[#]] > recurse:[[#]] > recurse:[[#]] > Buffer<char>::Buffer:[[#]]
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE-2]] > recurse:[[#]] > recurse:[[#]] > recurse:[[#]] > Buffer<char>::~Buffer:[[#]]
  catches();
  // CHECK-COUNT-3: cudaMalloc
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE-2]] > catches:[[#]] > throws:[[#]] > throws:[[#]] > throws:[[#]] > Buffer<float>::~Buffer:[[#]]
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE-3]] > catches:[[#]] > throws:[[#]] > throws:[[#]] > Buffer<float>::~Buffer:[[#]]
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE-4]] > catches:[[#]] > throws:[[#]] > Buffer<float>::~Buffer:[[#]]
  // CHECK-NEXT: caught: main:[[#@LINE-5]] > catches:[[#]]
  // CHECK-NEXT: cudaMalloc 77: main:[[#@LINE-6]] > catches:[[#]] > Buffer<char>::Buffer:[[#]]
  sets();
  // CHECK: jumped: main:[[#@LINE-1]] > sets:[[#]]
  fake_path("end");
  // CHECK-NEXT: end: main:[[#@LINE-1]]
  std::map<int, Buffer<int>> m;
  m.emplace(1, Buffer<int>(5));
  // CHECK-NEXT: cudaMalloc 20: main:[[#@LINE-1]] > Buffer<int>::Buffer:[[#]]
}
// CHECK-NEXT: cudaFree 0: main:[[#@LINE-1]] > Buffer<int>::~Buffer:[[#]]
// CHECK-NEXT: cudaFree 0: Buffer<float>::~Buffer:[[#]]
