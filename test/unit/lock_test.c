/* lock_test.c - one who waits long for a lock that others have in turns goes on waiting. A lock
 * whose holder never comes back: recording stops, nobody hangs, and the lock is a lock again. */
#include "base/lock.h"
#include "base/state.h"
#include "capture/capture.h"
#include "emit.h"

#include <pthread.h>
#include <time.h>

static struct gpm_lock lock;
static _Atomic int inside, most;

static void *takes(void *data) {
  gpm_lock_take(&lock);
  int now = atomic_fetch_add(&inside, 1) + 1;
  if (now > most) most = now;
  for (volatile int i = 0; i < 100000; i++) continue;
  atomic_fetch_sub(&inside, 1);
  gpm_lock_release(&lock);
  return data;
}

/* As a busy machine makes it: the lock is always held when the thread looks, by another one. Of
 * several that wait it may always be the second to look. */
static void waits_for_others_in_turns(bool second) {
  enum { TURNS = 700, TURN_NS = 10000000 }; /* more than a thread's patience with one */
  pthread_t thread;
  gpm_lock_take(&lock);
  CHECK(!pthread_create(&thread, NULL, takes, NULL));
  for (int i = 0; i < TURNS; i++) {
    nanosleep(&(struct timespec){0, TURN_NS}, NULL);
    atomic_store(&lock.held, GPM_LOCK_HELD); /* released and taken, so that nobody saw it free */
    if (second) gpm_lock_doubt(&lock);
  }
  gpm_lock_release(&lock);
  pthread_join(thread, NULL);
  CHECK(most == 1 && gpm_recording());
}

static void waits_for_one_that_never_comes(void) {
  gpm_lock_take(&lock); /* by a thread that jumped out of the runtime */
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) CHECK(!pthread_create(&threads[i], NULL, takes, NULL));
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  CHECK(most == 1 && !atomic_load(&lock.held));
  CHECK(!gpm_recording() && gpm_capture->flags & GPUMEMPROF_CAPTURE_STOPPED);
}

int main(void) {
  CHECK(gpm_recording());
  waits_for_others_in_turns(false);
  waits_for_others_in_turns(true);
  waits_for_one_that_never_comes();
  return 0;
}
