// Threads that end otherwise than by returning: pthread_exit and pthread_cancel below frames with
// clean-ups, deferred and asynchronous; and what still runs in a thread after its function ended:
// thread_local destructors and keys, first and last rounds.
#include "../oracle/guard.h"

#include <atomic>
#include <pthread.h>
#include <unistd.h>

static std::atomic<int> ready;

__attribute__((noinline)) static void exits(int depth) {
  SCOPE("exits");
  Guard guard(static_cast<size_t>(depth + 1) * KIB);
  if (!depth) pthread_exit(nullptr);
  exits(depth - 1);
}

static void *by_exit(void *) {
  SCOPE("by_exit");
  char *p;
  ALLOC(p, 10 * KIB);
  exits(3);
  return p;
}

__attribute__((noinline)) static void waits(int depth) {
  SCOPE("waits");
  Guard guard(static_cast<size_t>(depth + 1) * 3 * KIB);
  if (depth) return waits(depth - 1);
  ready = 1;
  for (;;) pause(); // is cancelled here
}

static void *deferred(void *) {
  SCOPE("deferred");
  waits(2);
  return nullptr;
}

__attribute__((noinline)) static void spins(volatile unsigned *count) {
  ready = 1;
  for (;;) ++*count; // is cancelled anywhere in here
}

static void *asynchronous(void *) {
  SCOPE("asynchronous");
  Guard guard(20 * KIB);
  volatile unsigned count = 0;
  void (*volatile opaque)(volatile unsigned *) = spins; // else it is known to throw nothing
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  opaque(&count);
  return nullptr;
}

// What runs after the thread's function.
struct Local {
  char *p = nullptr;
  ~Local() {
    SCOPE("Local::~Local");
    FREE(p);
    ALLOC(p, 15 * KIB);
    FREE(p);
  }
};
static thread_local Local local;
static pthread_key_t early, late; // made before and after the runtime's own

static void key_gone(void *data) {
  SCOPE("key_gone");
  char *p;
  ALLOC(p, 11 * KIB);
  FREE(data);
  FREE(p);
}

static void *leaves_things(void *) {
  SCOPE("leaves_things");
  ALLOC(local.p, 30 * KIB);
  char *p, *q;
  ALLOC(p, 5 * KIB);
  ALLOC(q, 6 * KIB);
  pthread_setspecific(early, p);
  pthread_setspecific(late, q);
  return nullptr;
}

static void *leaves_things_and_exits(void *) {
  SCOPE("leaves_things_and_exits");
  ALLOC(local.p, 50 * KIB);
  char *p;
  ALLOC(p, 8 * KIB);
  pthread_setspecific(late, p);
  exits(1);
  return nullptr;
}

static void run(void *(*function)(void *), bool cancelled) {
  SCOPE("run");
  pthread_t thread;
  ready = 0;
  pthread_create(&thread, nullptr, function, nullptr);
  if (cancelled) {
    while (!ready) usleep(100);
    pthread_cancel(thread);
  }
  pthread_join(thread, nullptr);
}

__attribute__((constructor(101))) static void make_early_key() {
  pthread_key_create(&early, key_gone);
}

int main() {
  SCOPE("main");
  pthread_key_create(&late, key_gone);
  run(by_exit, false);
  run(deferred, true);
  run(asynchronous, true);
  run(leaves_things, false);
  run(leaves_things_and_exits, false);
  SUMMARY();
  return 0;
}
