/* Events after the runtime's own end: the first argument says whose.
 *
 *   last        of a library that calls back when all destructors have run
 *   threads     four that allocate and free while the program exits; the second argument is how
 * long it lets them, in microseconds none        nobody's */
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void (*call_at_the_very_end)(void) __attribute__((weak)); /* of early.c */

static void *held;

static void free_held(void) {
  cudaFree(held);
}

static void *work(void *unused) {
  for (;;) {
    void *p;
    cudaMalloc(&p, 4096);
    cudaFree(p);
  }
  return unused;
}

int main(int argc, char **argv) {
  cudaMalloc(&held, 1 << 20);
  if (argc > 1 && !strcmp(argv[1], "last")) call_at_the_very_end = free_held;
  if (argc > 2 && !strcmp(argv[1], "threads")) {
    for (int i = 0; i < 4; i++) {
      pthread_t thread;
      pthread_create(&thread, NULL, work, NULL);
    }
    usleep((useconds_t)atoi(argv[2]));
  }
  return 0;
}
