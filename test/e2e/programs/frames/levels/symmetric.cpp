// One resume of a coroutine that resumes others, and they it: what the line needs is the
// sum of what they keep.
#include <cuda_runtime.h>

#include <coroutine>
#include <exception>

struct Task {
  struct promise_type {
    std::coroutine_handle<> next = std::noop_coroutine();
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().next;
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    handle.promise().next = caller;
    return handle;
  }
  void await_resume() {}
};
void *p[3];
Task leaf(int i) {
  cudaMalloc(&p[i], 1000);
  co_return;
}
Task all() {
  co_await leaf(0);
  co_await leaf(1);
  co_await leaf(2);
}
int main() {
  Task task = all();
  task.handle.resume();
  return 0;
}
