// A block of a coroutine ends where the coroutine is suspended. The rest of it runs within other
// functions' blocks, on this thread or on another, and closes none of theirs: figures are as if the
// block had ended by itself.
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

#include <coroutine>
#include <exception>
#include <thread>

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

__attribute__((noinline)) static void alloc(size_t mib) {
  void *p = nullptr;
  cudaMalloc(&p, mib << 20);
}

static Task coroutine() {
  GPUMEMPROF_SCOPE("1 of a coroutine");
  alloc(1);
  co_await std::suspend_always{};
  alloc(2);
}

__attribute__((noinline)) static void resume_below(Task &task) {
  GPUMEMPROF_SCOPE("5 during a block");
  task.handle.resume();
  alloc(3);
}

// The block's frame lies where that of the coroutine's block lay.
__attribute__((noinline)) static void resume_in_its_place(Task &task) {
  GPUMEMPROF_SCOPE("6 in its place");
  task.handle.resume();
  alloc(4);
}

__attribute__((noinline)) static void in_between(Task &task) {
  alloc(1);
  resume_below(task);
  alloc(1);
}

int main() {
  Task first = coroutine(), second = coroutine(), third = coroutine();
  in_between(first);
  resume_in_its_place(second);
  std::thread([&] {
    GPUMEMPROF_SCOPE("7 of a thread");
    alloc(2);
    third.handle.resume();
    alloc(3);
  }).join();
  for (Task *task : {&first, &second, &third}) task->handle.destroy();
}
