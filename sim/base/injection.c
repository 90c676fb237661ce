/* injection.c - CUDA_INJECTION64_PATH: when the driver is initialised, it loads the library of that
 * name and calls its InitializeInjection, once per process. As in a real driver, nothing is said of
 * a library that cannot be loaded, and what the function returns has no effect.
 *
 * Other threads that initialise the driver wait until the function has returned, so that a profiler
 * that it starts sees their first calls. Calls of CUDA that the function makes itself go on.
 */
#include "base/injection.h"
#include "base/options.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void load(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  int (*start)(void) = library ? (int (*)(void))dlsym(library, "InitializeInjection") : NULL;
  if (start) start();
  else if (gpm_sim_options()->verbose)
    gpm_sim_say("CUDA_INJECTION64_PATH: %s", library ? "it has no InitializeInjection" : dlerror());
}

void gpm_sim_inject(void) {
  static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  static _Atomic bool done;
  static bool begun;
  if (atomic_load_explicit(&done, memory_order_acquire)) return;
  pthread_mutex_lock(&mutex);
  const char *path = secure_getenv("CUDA_INJECTION64_PATH");
  bool first = !begun;
  begun = true;
  if (first && path && *path) load(path);
  if (first) atomic_store_explicit(&done, true, memory_order_release);
  pthread_mutex_unlock(&mutex);
}
