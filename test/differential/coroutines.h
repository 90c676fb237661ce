/* coroutines.h - the two coroutine types of the random C++ programs: a generator that may be given
 * up in the middle, and a task that is awaited by symmetric transfer. */
#ifndef GPUMEMPROF_TEST_DIFFERENTIAL_COROUTINES_H
#define GPUMEMPROF_TEST_DIFFERENTIAL_COROUTINES_H

#include "prelude.h"

#include <coroutine>
#include <exception>
#include <utility>

struct Sequence {
  struct promise_type {
    uint32_t value = 0;
    std::exception_ptr error;
    Sequence get_return_object() {
      return Sequence{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(uint32_t v) noexcept {
      value = v;
      return {};
    }
    void return_value(uint32_t v) noexcept { value = v; }
    void unhandled_exception() { error = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> handle;
  bool next() {
    handle.resume();
    if (handle.promise().error)
      std::rethrow_exception(std::exchange(handle.promise().error, nullptr));
    return !handle.done();
  }
  explicit Sequence(std::coroutine_handle<promise_type> h) : handle(h) {}
  Sequence(const Sequence &) = delete;
  ~Sequence() { handle.destroy(); }
};
struct Task {
  struct promise_type {
    uint32_t value = 0;
    std::coroutine_handle<> after;
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().after ? h.promise().after : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(uint32_t v) noexcept { value = v; }
    void unhandled_exception() noexcept {
      value = 77;
      note(78);
    }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
  Task(Task &&o) : handle(std::exchange(o.handle, nullptr)) {}
  ~Task() {
    if (handle) handle.destroy();
  }
  bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
    handle.promise().after = caller;
    return handle;
  }
  uint32_t await_resume() noexcept { return handle.promise().value; }
  uint32_t run() {
    handle.resume();
    return handle.promise().value;
  }
};

#endif
