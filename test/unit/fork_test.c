/* fork_test.c - forks at the worst moments: while other threads hold the runtime's locks, and by a
 * signal handler that interrupted the runtime. No child hangs or crashes, none changes what its
 * parent recorded, and each records for itself or says that it cannot.
 */
#include "base/lock.h"
#include "base/memory.h"
#include "base/state.h"
#include "capture/capture.h"
#include "cuda/driver.h"
#include "emit.h"
#include "records/call_tree.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

void __gpumemprof_post_cudaMalloc(void **block, size_t bytes, int result);
void __gpumemprof_pre_cudaFree(void *block);

enum { THREADS = 3, FORKS = 100, ADDRESS = 1 << 20 };
static struct test_site scope, line;
static _Atomic bool stop;
static volatile sig_atomic_t forks, wrong, is_child;

static void one_round(uint64_t address) {
  struct gpumemprof_frame *f = test_push(&scope.site, UINTPTR_MAX);
  f->call = &line.site;
  void *block = (void *)(uintptr_t)address;
  __gpumemprof_post_cudaMalloc(&block, 100, 0);
  __gpumemprof_pre_cudaFree(block);
  test_pop(f);
}

static void *hold_locks(void *data) {
  (void)data;
  while (!atomic_load(&stop)) {
    gpm_memory_get(64);
    gpm_lock_take(&gpm_tree_lock);
    gpm_lock_release(&gpm_tree_lock);
    gpm_driver();
  }
  return NULL;
}

/* Checks in a child that its own capture contains what the child did, and nothing else. */
static void records_single(void) {
  alarm(20);
  for (int i = 0; i < 10; i++) one_round(ADDRESS);
  CHECK(gpm_recording() && gpm_capture->pid == (uint64_t)getpid() &&
        __gpumemprof_clock.events == 20);
  CHECK(strstr(gpm_capture_path(), ".gmprof."));
  unlink(gpm_capture_path());
  _exit(0);
}

static void fork_while_others_hold_locks(void) {
  pthread_t ids[THREADS];
  for (int i = 0; i < THREADS; i++) CHECK(!pthread_create(&ids[i], NULL, hold_locks, NULL));
  for (int i = 0; i < FORKS; i++) {
    pid_t child = fork();
    if (!child) records_single();
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(!status);
  }
  atomic_store(&stop, true);
  for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);
}

static void
next_in(int microseconds) { /* once: faster than a fork, a timer lets nothing else run */
  struct itimerval once = {{0, 0}, {0, microseconds}};
  setitimer(ITIMER_REAL, &once, NULL);
}

static void handler(int number) {
  (void)number;
  pid_t child = fork();
  if (!child) {
    signal(SIGALRM, SIG_DFL);
    alarm(20);
    is_child = 1; /* the child continues where its parent was */
    return;
  }
  int status = 1;
  waitpid(child, &status, 0);
  wrong += status != 0;
  if (++forks < 2 * FORKS) next_in(50 + forks);
}

static void fork_in_a_signal_handler(void) {
  uint64_t rounds = 0, before = __gpumemprof_clock.events;
  signal(SIGALRM, handler);
  next_in(50);
  for (; forks < 2 * FORKS && !is_child; rounds++) one_round(ADDRESS + (rounds % 7 << 12));
  if (is_child) {
    for (int i = 0; i < 100; i++) one_round(ADDRESS); /* recorded, or reported that it is not */
    if (gpm_recording()) unlink(gpm_capture_path());
    _exit(0);
  }
  CHECK(!wrong && __gpumemprof_clock.events == before + 2 * rounds);
}

int main(void) {
  test_site_set(&scope, GPUMEMPROF_SITE_FUNCTION, "a.c", 1, "round", "");
  test_site_set(&line, GPUMEMPROF_SITE_CALL, "a.c", 2, "round", "p");
  CHECK(gpm_recording());
  one_round(ADDRESS);
  fork_while_others_hold_locks();
  fork_in_a_signal_handler();
  uint64_t allocated = 0, freed = 0;
  const struct gpumemprof_capture_cell *c;
  for (uint64_t k = 0; (c = test_record(GPUMEMPROF_CHUNK_CELLS, 0, k)); k++) {
    allocated += c->allocated.blocks;
    freed += c->freed.blocks;
  }
  CHECK(allocated == freed && 2 * allocated == __gpumemprof_clock.events);
  CHECK(!gpm_capture->counters[GPUMEMPROF_COUNTER_events_not_stored]);
  return 0;
}
