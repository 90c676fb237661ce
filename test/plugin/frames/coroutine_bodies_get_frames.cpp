// Ramp, resumed parts and destruction of a coroutine each run in a frame of its name, and events are on
// the coroutine's lines; the same at -O0 and -O2.
// RUN: %clangxx %gmp -std=c++20 -O0 %s %fake -o %t && %t > %t.0
// RUN: FileCheck %s < %t.0
// RUN: %clangxx %gmp -std=c++20 -O2 %s %fake -o %t && %t | diff %t.0 -
// RUN: %clangxx %gmp -std=c++20 -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=MARK %s
// MARK-NOT: __gpumemprof_coroutine_call
#include "../Inputs/cuda.h"
#include <coroutine>
#include <exception>

struct Generator {
  struct promise_type {
    int value = 0;
    Generator get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  ~Generator() { handle.destroy(); }
};
struct Owner {
  void *p;
  explicit Owner(size_t n) { cudaMalloc(&p, n); }
  ~Owner() { cudaFree(p); }
};

static Generator generate(int n) {
  Owner kept(n);
  for (int i = 0; i < n; i++) {
    void *p;
    cudaMalloc(&p, 100 + i);
    co_yield i;
    cudaFree(p);
  }
}

int main() {
  Generator g = generate(2);
  g.handle.resume();
  // CHECK: cudaMalloc 2: main:[[#R:@LINE-1]] > generate:[[#@LINE-12]] > Owner::Owner
  // CHECK-NEXT: cudaMalloc 100: main:[[#R]] > generate:[[#@LINE-10]]
  g.handle.resume();
  // CHECK-NEXT: cudaFree 0: main:[[#@LINE-1]] > generate:[[#@LINE-10]]
  // CHECK-NEXT: cudaMalloc 101: main:[[#@LINE-2]] > generate:[[#@LINE-13]]
  fake_path("main");
  // CHECK-NEXT: main: main:[[#@LINE-1]]
}
// CHECK-NEXT: cudaFree 0: main:[[#@LINE-1]] > Generator::~Generator:[[#]] > generate:[[#]] > Owner::~Owner
