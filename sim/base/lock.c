/* lock.c - the one lock of the simulated device, and its data of each thread.
 *
 * A function that takes the lock may call another that does: each thread counts its depth and locks
 * the mutex for the outermost call only. A thread that forks holds the lock meanwhile, so that the
 * child finds it free.
 */
#include "base/lock.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* The initial-exec model needs no call; a library may use a few hundred bytes of it. */
#define OWN static _Thread_local __attribute__((tls_model("initial-exec")))
OWN unsigned depth;
OWN struct gpm_sim_thread thread;

void gpm_sim_lock(void) {
  if (depth++ == 0) pthread_mutex_lock(&mutex);
}

void gpm_sim_unlock(void) {
  if (--depth == 0) pthread_mutex_unlock(&mutex);
}

struct gpm_sim_thread *gpm_sim_thread(void) {
  return &thread;
}

__attribute__((constructor)) static void watch_forks(void) {
  pthread_atfork(gpm_sim_lock, gpm_sim_unlock, gpm_sim_unlock);
}
