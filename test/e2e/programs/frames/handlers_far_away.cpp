// A handler that allocates nothing comes on a stack of its own, all the time, while functions and
// blocks are entered. What moves is of the lines marked `moves`, or is counted as lost.
#include <csignal>
#include <cstdio>
#include <ctime>
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
#include <sys/mman.h>

static int (*volatile other)(int);
static volatile int never, calls;
static int plus_one(int x) {
  return x + 1;
}

static void handler(int) {
  calls = calls + other(1);
  if (never) calls = calls + other(2);
  if (never) calls = calls + other(3);
}

__attribute__((noinline)) static void allocate(void **p) {
  cudaMalloc(p, 100); // moves
}
static void (*volatile function)(void **) = allocate;

int main() {
  other = plus_one;
  stack_t stack{};
  stack.ss_size = 1 << 16;
  stack.ss_sp =
      mmap(nullptr, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  void *p;
  function(&p);
  cudaFree(p);
  timer_t timer;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  itimerspec every{{0, 31000}, {0, 31000}};
  timer_settime(timer, 0, &every, nullptr);
  for (int i = 0; i < 60000; i++) {
    function(&p);
    cudaFree(p);
    GPUMEMPROF_SCOPE("block");
    cudaMalloc(&p, 100); // moves
    cudaFree(p);
  }
  timer_delete(timer);
  std::printf("%d\n", calls > 0);
  return 0;
}
