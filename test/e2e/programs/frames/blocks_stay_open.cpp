// Control comes back to functions that have blocks open: an exception that is caught in the block,
// or that leaves it through clean-ups; setjmp and getcontext. Each block allocates in MiB what its
// name says, the last of it after control came back.
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
#include <gpumemprof/gpumemprof.hpp>
#include <gpumemprof/measure.h>
#include <setjmp.h>
#include <ucontext.h>

#include <cstdio>
#include <thread>

static jmp_buf place;

__attribute__((noinline)) static void thrower() {
  throw 1;
}
__attribute__((noinline)) static void jumper() {
  longjmp(place, 1);
}
__attribute__((noinline)) static void *alloc(size_t mib) {
  void *p = nullptr;
  cudaMalloc(&p, mib << 20);
  return p;
}
struct Holder {
  void *p = alloc(7);
  ~Holder() { cudaFree(p); }
};

static void caught() {
  GPUMEMPROF_SCOPE("3 caught");
  alloc(1);
  try {
    thrower();
  } catch (int) {
  }
  alloc(2);
}
static void inner_left() {
  GPUMEMPROF_SCOPE("6 outer");
  try {
    alloc(1);
    GPUMEMPROF_SCOPE("2 inner");
    alloc(2);
    thrower();
  } catch (int) {
    alloc(1);
  }
  alloc(2);
}
static void cleaned_up() { // the destructor runs in the block
  GPUMEMPROF_SCOPE_NO_LEAK("0 cleaned up");
  Holder holder;
  thrower();
}
static void over_budget() {
  GPUMEMPROF_SCOPE_BUDGET("2 over", "1MiB");
  try {
    thrower();
  } catch (int) {
  }
  alloc(2);
}
static void jumps_back() {
  GPUMEMPROF_SCOPE("5 jumps back");
  alloc(1);
  if (!setjmp(place)) {
    GPUMEMPROF_SCOPE("1 jumped out of");
    alloc(1);
    jumper();
  }
  alloc(3);
}
static void comes_once() {
  GPUMEMPROF_SCOPE("4 comes once");
  ucontext_t context;
  getcontext(&context);
  alloc(4);
}
static void nests() { // no frame is its own but the block's: the measured scope of the class
  gpumemprof::scope outer("3 class");
  try {
    thrower();
  } catch (int) {
  }
  alloc(3);
}
static void hands_over() {
  gpumemprof_context *context = gpumemprof_context_capture();
  std::thread([context] {
    GPUMEMPROF_ATTACH(context);
    try {
      thrower();
    } catch (int) {
    }
    alloc(2);
  }).join();
  gpumemprof_context_release(context);
}
static void measures() {
  gpumemprof_result result{};
  uint64_t scope = gpumemprof_scope_begin("3 measured");
  alloc(1);
  try {
    thrower();
  } catch (int) {
  }
  alloc(2);
  gpumemprof_scope_end(scope, &result);
  std::printf("%llu\n", static_cast<unsigned long long>(result.own_peak));
}

int main() {
  caught();
  inner_left();
  try {
    cleaned_up();
  } catch (int) {
  }
  over_budget();
  jumps_back();
  comes_once();
  nests();
  hands_over();
  measures();
}
