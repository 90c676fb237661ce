/* lock.c - the one lock of the simulated device, and what it keeps per thread.
 *
 * A core function may call another: each thread counts how deep it is and takes the mutex for the
 * outermost only. Held across fork by the forking thread: the child finds it free.
 */
#include "base/base.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Initial-exec: reached without a call; a few hundred bytes of it are always to be had. */
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
