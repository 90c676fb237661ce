// Coroutines resumed on other threads, destroyed while suspended, left by exceptions, handing over
// to each other by symmetric transfer. A body's scope lasts from one resumption to the next
// suspension; it belongs to the thread that resumes.
#include "../oracle/guard.h"

#include <coroutine>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

struct Job {
  struct promise_type {
    std::coroutine_handle<> next = std::noop_coroutine();
    Job get_return_object() { return Job{handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Over {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().next; // symmetric transfer
      }
      void await_resume() noexcept {}
    };
    Over final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; } // out of resume()
  };
  using handle = std::coroutine_handle<promise_type>;
  handle h;
  explicit Job(handle of) : h(of) {}
  Job(Job &&other) noexcept : h(std::exchange(other.h, {})) {}
  ~Job() {
    if (h) h.destroy();
  }
  bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
    h.promise().next = caller;
    return h; // symmetric transfer
  }
  void await_resume() noexcept {}
};

static char *slots[4];

static Job wanders() {
  {
    SCOPE("wanders");
    ALLOC(slots[0], 10 * KIB);
  }
  co_await std::suspend_always();
  {
    SCOPE("wanders");
    ALLOC(slots[1], 20 * KIB);
    FREE(slots[0]);
  }
  co_await std::suspend_always();
  SCOPE("wanders");
  FREE(slots[1]);
}

static void resume_in_thread(Job *job) {
  SCOPE("resume_in_thread");
  char *p;
  ALLOC(p, 3 * KIB);
  job->h.resume();
  FREE(p);
}

__attribute__((noinline)) static void on_other_threads() {
  SCOPE("on_other_threads");
  Job job = wanders();
  job.h.resume();
  std::thread(resume_in_thread, &job).join();
  char *p;
  ALLOC(p, 5 * KIB);
  std::thread(resume_in_thread, &job).join();
  FREE(p);
  if (!job.h.done()) std::abort();
}

static Job holds(size_t bytes) {
  Guard guard(bytes); // in the coroutine's own state
  co_await std::suspend_always();
  Guard never(KIB);
}

static void ends_it(Job there) {
  SCOPE("ends_it");
  Job here = std::move(there);
}

__attribute__((noinline)) static void destroyed_while_suspended() {
  SCOPE("destroyed_while_suspended");
  for (size_t i = 1; i < 4; i++) {
    Job job = holds(i * 8 * KIB);
    job.h.resume();
  }
  Job job = holds(50 * KIB);
  job.h.resume();
  std::thread(ends_it, std::move(job)).join();
}

__attribute__((noinline)) static void throws_below() {
  SCOPE("throws_below");
  ALLOC(slots[2], 2 * KIB);
  throw std::runtime_error("body");
}

static Job fails() {
  Guard guard(6 * KIB);
  co_await std::suspend_always();
  throws_below();
}

__attribute__((noinline)) static void thrown_out_of_resume() {
  SCOPE("thrown_out_of_resume");
  Job job = fails();
  job.h.resume();
  try {
    job.h.resume();
  } catch (const std::exception &) {
    ALLOC(slots[3], 9 * KIB); // on this function alone
    FREE(slots[2]);
  }
  FREE(slots[3]);
}

static Job leaf(int i) {
  if (i % 1000 == 0) {
    SCOPE("leaf");
    Guard guard(static_cast<size_t>(1 + i / 1000) * KIB);
  }
  co_return;
}

static Job root(int count) { // as many transfers there and back
  for (int i = 0; i < count; i++) {
    co_await leaf(i);
    if (i % 2000) continue;
    char *p;
    ALLOC(p, 4 * KIB);
    FREE(p);
  }
}

__attribute__((noinline)) static void transfers() {
  SCOPE("transfers");
  Job job = root(20000);
  job.h.resume();
  char *p;
  ALLOC(p, KIB);
  FREE(p);
}

int main() {
  SCOPE("main");
  on_other_threads();
  destroyed_while_suspended();
  thrown_out_of_resume();
  transfers();
  SUMMARY();
  return 0;
}
