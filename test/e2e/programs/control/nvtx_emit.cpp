// nvtx_emit [MODE]: scopes that begin and end in every way. Prints how often each of those began
// that another tool receives: {"name": times, ...}. With `plateaus` what was live in turn, each
// long enough to be seen: [bytes, ...].
#include "nvtx_client.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
#include <map>
#include <mutex>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

static std::mutex turn;
static std::map<std::string, int> begun;
static void begins(const char *name) {
  std::lock_guard<std::mutex> lock(turn);
  begun[name]++;
}
#define OUT_OF_LINE __attribute__((noinline))

static void *kept[4];
OUT_OF_LINE static void *takes(size_t bytes) {
  void *p = nullptr;
  begins("takes"); // memory moves in each
  if (cudaMalloc(&p, bytes)) std::_Exit(3);
  return p;
}
OUT_OF_LINE static void gives(void *p) {
  begins("gives");
  cudaFree(p);
}
OUT_OF_LINE static void idle(bool really) { // no memory moves: not sent
  if (!really) gives(takes(512));
}
GPUMEMPROF_PROFILE OUT_OF_LINE static void profiled(int depth) {
  begins("profiled");
  if (depth) profiled(depth - 1);
}
OUT_OF_LINE static void throws(int depth) {
  begins("throws");
  void *p = takes(1024);
  GPUMEMPROF_SCOPE("block");
  begins("block");
  if (!depth) {
    gives(p);
    throw depth;
  }
  gives(p);
  throws(depth - 1);
}
static std::jmp_buf back;
OUT_OF_LINE static void jumps(int depth) {
  begins("jumps");
  gives(takes(2048));
  if (!depth) std::longjmp(back, 1);
  jumps(depth - 1);
  gives(takes(1)); // no tail call
}
OUT_OF_LINE static void catches() {
  begins("catches");
  try {
    throws(3);
  } catch (int) {
  }
  gives(takes(512));
}
OUT_OF_LINE static void lands() {
  begins("lands");
  if (!setjmp(back)) jumps(2);
  gives(takes(512));
}
OUT_OF_LINE static void measured() {
  uint64_t scope = gpumemprof_scope_begin("measurement");
  begins("measurement");
  gpumemprof_scope_end(scope, nullptr);
}
OUT_OF_LINE static void early() {
  begins("early"); // with the block
  GPUMEMPROF_SCOPE("early block");
  begins("early block");
  nvtxRangePushA("own");
  kept[0] = takes(4096);
  nvtxRangePop();
}

static ucontext_t of_main, of_fiber;
OUT_OF_LINE static void fiber_body() {
  {
    GPUMEMPROF_SCOPE("fiber");
    for (int i = 0; i < 3; i++) {
      begins("fiber"); // again each time it comes back
      begins("fiber_body");
      gives(takes(256));
      if (i < 2) swapcontext(&of_fiber, &of_main);
    }
  }
}
OUT_OF_LINE static void *thread_body(void *) {
  begins("thread_body");
  for (int i = 0; i < 20; i++) {
    catches();
    profiled(2);
  }
  GPUMEMPROF_SCOPE("left open");
  begins("left open");
  gives(takes(128));
  pthread_exit(nullptr);
}

static void print() {
  const char *comma = "{";
  for (const auto &[name, times] : begun)
    std::printf("%s\"%s\": %d", comma, name.c_str(), times), comma = ", ";
  std::puts("}");
}

static void plateaus() {
  size_t live = 0;
  const char *comma = "[";
  for (size_t i = 1; i <= 10; i++) {
    void *p = takes(i << 20);
    live += i << 20;
    usleep(30000);
    std::printf("%s%zu", comma, live), comma = ", ";
    if (i % 3) continue;
    gives(p);
    live -= i << 20;
    usleep(30000);
    std::printf(", %zu", live);
  }
  std::puts("]");
}

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "plateaus") return plateaus(), 0;
  begins("main");
  early();
  gives(kept[0]);
  idle(true);
  idle(true);
  if (mode == "forks") {
    GPUMEMPROF_SCOPE("around");
    begins("around");
    pid_t child = fork();
    if (!child) {
      catches();
      profiled(1);
      std::_Exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status) std::_Exit(5);
  }
  nvtxRangePushA("own");
  profiled(3);
  nvtxRangePop();
  nvtxRangePushA("own");
  catches();
  nvtxRangePop();
  lands();
  measured();
  char *stack =
      (char *)mmap(nullptr, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  getcontext(&of_fiber);
  of_fiber.uc_stack.ss_sp = stack;
  of_fiber.uc_stack.ss_size = 1 << 18;
  of_fiber.uc_link = &of_main;
  makecontext(&of_fiber, fiber_body, 0);
  for (int i = 0; i < 3; i++) {
    swapcontext(&of_main, &of_fiber);
    begins("main"); // is back on its thread
    gives(takes(64));
  }
  pthread_t threads[3];
  for (pthread_t &t : threads) pthread_create(&t, nullptr, thread_body, nullptr);
  for (pthread_t &t : threads) pthread_join(t, nullptr);
  print();
}
