// What a header promises is known where it came precompiled; each part of a coroutine has its budget.
// RUN: %clangxx %gmp %inc -std=c++20 -x c++-header %s -o %t.pch
// RUN: %clangxx %gmp %inc -std=c++20 -include-pch %t.pch -x c++ %s -x none %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | FileCheck %s
#ifndef SEEN // by the precompiled one
#define SEEN
#include "gpumemprof/gpumemprof.h"
#include <coroutine>
#include <stddef.h>
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
GPUMEMPROF_BUDGET("3MiB") GPUMEMPROF_NO_ALLOC Task part(int n);
struct Pool {
  GPUMEMPROF_NO_LEAK void work(size_t bytes);
};
#else
#include "../Inputs/cuda.h"
void Pool::work(size_t bytes) {
  void *p;
  cudaMalloc(&p, bytes);
}
Task part(int n) {
  Pool().work(n);
  co_return;
}
int main() { part(1).handle.resume(); }
// CHECK-DAG: site kind=1 flags=64 {{.*}} in Pool::work{{$}}
// CHECK-DAG: site kind=1 flags=48 {{.*}} in part {{.*}}size=[3MiB]
#endif
