/* lock_test.c - a thread that waits long for a lock which other threads take in turns goes on
 * waiting. When the holder of a lock never releases it, recording stops, no thread hangs, and the
 * lock works again. */
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

/* Does what a busy machine may do: whenever the thread checks the lock, another thread holds it. Of
 * several waiting threads it may always be the second to check. */
static void waits_for_others_in_turns(bool second) {
  enum { TURNS = 140, TURN_NS = 10000000 }; /* longer than a thread waits for one holder */
  pthread_t thread;
  gpm_lock_take(&lock);
  CHECK(!pthread_create(&thread, NULL, takes, NULL));
  for (int i = 0; i < TURNS; i++) {
    nanosleep(&(struct timespec){0, TURN_NS}, NULL);
    atomic_store(&lock.held, GPM_LOCK_HELD); /* released and taken before any thread saw it free */
    if (second) gpm_lock_doubt(&lock);
  }
  gpm_lock_release(&lock);
  pthread_join(thread, NULL);
  CHECK(most == 1 && gpm_recording());
}

static void waits_for_one_that_never_comes(void) {
  gpm_lock_take(&lock); /* as if by a thread that jumped out of the runtime */
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) CHECK(!pthread_create(&threads[i], NULL, takes, NULL));
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  CHECK(most == 1 && !atomic_load(&lock.held));
  CHECK(!gpm_recording() && gpm_capture->flags & GPUMEMPROF_CAPTURE_STOPPED);
}

int main(void) {
  CHECK(gpm_recording() && gpm_lock_patience_ns == 5000000000u);
  gpm_lock_patience_ns = 1000000000;
  waits_for_others_in_turns(false);
  waits_for_others_in_turns(true);
  waits_for_one_that_never_comes();
  return 0;
}
