// C++20 coroutines: a body runs in pieces, each resumed from somewhere else.
#include "../oracle/oracle.h"

#include <coroutine>
#include <exception>

struct Task {
  struct promise_type {
    int value = 0;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) noexcept {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

static char *slots[6];

static Task generate(int count) {
  for (int i = 0; i < count; i++) {
    ALLOC(slots[i], static_cast<size_t>(i + 1) * KIB);
    co_yield i;
  }
  FREE(slots[0]);
}

__attribute__((noinline)) static int drive(Task &task, int steps) {
  int sum = 0;
  for (int i = 0; i < steps && !task.handle.done(); i++) {
    task.handle.resume();
    sum += task.handle.promise().value;
  }
  return sum;
}

int main() {
  Task task = generate(4);
  drive(task, 2);
  char *p;
  ALLOC(p, 64 * KIB);
  drive(task, 10);
  task.handle.destroy();
  FREE(slots[2]);
  FREE(p);
  SUMMARY();
  return 0;
}
