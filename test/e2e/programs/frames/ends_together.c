/* Functions that return one after the other, without an event of their thread in between.
 *
 *   ends_together AT [kill]
 *
 * main > f0 > f1 > f2 > f3 > allocate. The function of number AT lets another thread allocate and
 * free before it returns; with `kill` the program dies then. AT 4: none does. */
#include <cuda_runtime.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static int at, dies;
static void *kept;

static void *other_thread(void *unused) {
  void *p;
  if (!cudaMalloc(&p, 8 << 20)) cudaFree(p);
  return unused;
}

static __attribute__((noinline)) void let_other_thread_allocate(void) {
  pthread_t id;
  if (pthread_create(&id, NULL, other_thread, NULL) || pthread_join(id, NULL)) exit(1);
  if (dies) raise(SIGKILL);
}

static __attribute__((noinline)) void allocate(void) {
  if (cudaMalloc(&kept, 1000)) exit(1);
}

#define FUNCTION(number, inner)                                                                    \
  static __attribute__((noinline)) void f##number(void) {                                          \
    inner();                                                                                       \
    if (at == number) let_other_thread_allocate();                                                 \
    __asm__ volatile("");                                                                          \
  }
FUNCTION(3, allocate)
FUNCTION(2, f3)
FUNCTION(1, f2)
FUNCTION(0, f1)

int main(int argc, char **argv) {
  void *first;
  at = argc > 1 ? atoi(argv[1]) : 4;
  dies = argc > 2;
  if (cudaMalloc(&first, 512)) return 1;
  for (int i = 0; i < 3; i++) {
    f0();
    if (cudaFree(kept)) return 1;
  }
  return cudaFree(first) ? 1 : 0;
}
