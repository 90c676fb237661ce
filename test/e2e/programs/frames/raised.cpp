// Signal handlers that come at known places: in calls, before a function's first call, on a stack
// of their own above and below the thread's, within each other, and leaving by siglongjmp.
#include "../oracle/oracle.h"

#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>

static char *slots[4];
static sigjmp_buf out;

static void allocates(int) {
  SCOPE("allocates");
  char *p;
  ALLOC(p, 6 * KIB);
  FREE(slots[0]);
  slots[0] = p;
}
static void nests(int) {
  SCOPE("nests");
  char *p;
  ALLOC(p, 24 * KIB);
  raise(SIGUSR1);
  FREE(p);
}
static void leaves(int) {
  SCOPE("leaves");
  ALLOC(slots[1], 12 * KIB);
  siglongjmp(out, 1);
}

__attribute__((noinline)) static void in_calls(int depth) {
  SCOPE("in_calls");
  char *p;
  ALLOC(p, static_cast<size_t>(depth + 1) * KIB);
  raise(depth % 2 ? SIGUSR1 : SIGUSR2);
  if (depth) in_calls(depth - 1);
  FREE(p);
}

// The frame's place was used before, by a function whose last call is still there.
__attribute__((noinline)) static void earlier() {
  ALLOC(slots[2], 30 * KIB);
}
__attribute__((noinline)) static void before_its_first_call(volatile int *count) {
#if defined(__x86_64__)
  __asm__ volatile("int3"); // SIGTRAP, without a call
#endif
  if (*count > 1000) ALLOC(slots[3], KIB);
}

__attribute__((noinline)) static void raises_to_leave(int depth) {
  SCOPE("raises_to_leave");
  char *p;
  ALLOC(p, 5 * KIB);
  slots[3] = p;
  if (!depth) raise(SIGHUP);
  raises_to_leave(depth - 1);
}
__attribute__((noinline)) static void comes_back() {
  SCOPE("comes_back");
  if (!sigsetjmp(out, 1)) {
    raises_to_leave(2);
  } else {
    BACK_IN_SCOPE();
    FREE(slots[3]);
  }
  ALLOC(slots[3], 16 * KIB);
  FREE(slots[3]);
  FREE(slots[1]);
}

static void *with_alternate_stack(void *alternate) {
  SCOPE("with_alternate_stack");
  stack_t s = {};
  s.ss_sp = alternate;
  s.ss_size = 256 << 10;
  sigaltstack(&s, nullptr);
  in_calls(5);
  s.ss_flags = SS_DISABLE;
  sigaltstack(&s, nullptr);
  return nullptr;
}

int main() {
  SCOPE("main");
  struct sigaction action = {};
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = allocates;
  sigaction(SIGUSR1, &action, nullptr);
  sigaction(SIGTRAP, &action, nullptr);
  action.sa_handler = nests;
  sigaction(SIGUSR2, &action, nullptr);
  action.sa_handler = leaves;
  sigaction(SIGHUP, &action, nullptr);
  in_calls(3);
  comes_back();
  // [ alternate | the thread's stack | alternate ]: a fresh stack each time.
  const size_t each = 512 << 10;
  for (int above = 0; above < 2; above++) {
    char *room = static_cast<char *>(
        mmap(nullptr, 3 * each, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, room + each, each);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, with_alternate_stack, room + (above ? 2 * each : 0)))
      std::abort();
    pthread_join(thread, nullptr);
  }
  volatile int count = 1;
  earlier();
  before_its_first_call(&count);
  SUMMARY();
  return 0;
}
