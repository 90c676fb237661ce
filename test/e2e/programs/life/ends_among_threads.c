/* Ends by returning from main while other threads allocate and free on two devices, in scopes with
 * a budget, and make new call paths. */
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 2000, DEEPEST = 40 };
static atomic_int rounds;

GPUMEMPROF_BUDGET("1KiB") static void some(int depth, size_t bytes) {
  char *p;
  if (depth) return some(depth - 1, bytes);
  if (cudaMalloc((void **)&p, bytes)) return;
  cudaFree(p);
}

static void *go_on(void *number) {
  cudaSetDevice((int)(size_t)number % 2);
  for (int i = 0;; i++) {
    some(i % DEEPEST, 4096);
    atomic_fetch_add(&rounds, 1);
  }
  return NULL;
}

int main(void) {
  char *leaks;
  cudaMalloc((void **)&leaks, 10000);
  for (size_t i = 0; i < THREADS; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, go_on, (void *)i);
    pthread_detach(thread);
  }
  while (atomic_load(&rounds) < ROUNDS) usleep(1000);
  return 7;
}
