/* lock_test.c - a lock whose holder never comes back: recording stops, nobody hangs, and the lock
 * is a lock again. */
#include "emit.h"

#include <pthread.h>

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

int main(void) {
  CHECK(gpm_recording());
  gpm_lock_take(&lock); /* by a thread that jumped out of the runtime */
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) CHECK(!pthread_create(&threads[i], NULL, takes, NULL));
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  CHECK(most == 1 && !atomic_load(&lock.held));
  CHECK(!gpm_recording() && gpm_capture->flags & GPUMEMPROF_CAPTURE_STOPPED);
  return 0;
}
