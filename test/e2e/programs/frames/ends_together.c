/* Functions that return one after the other, without an event of their thread in between.
 *
 *   ends_together AT [kill|exit|reset|dump FILE|history]
 *
 * main > f0 > f1 > f2 > f3 > allocate. The function of number AT lets another thread allocate and
 * free before it returns; AT 4: none does. With `kill` or `exit` the program ends then; in the
 * other cases that thread calls the function of that name before. */
#include <cuda_runtime.h>
#include <gpumemprof/control.h>
#include <gpumemprof/measure.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int at;
static const char *then = "", *file;
static void *kept;

static void *other_thread(void *unused) {
  void *p;
  if (!strcmp(then, "reset") && gpumemprof_reset() != 1) exit(1);
  if (!strcmp(then, "dump") && gpumemprof_dump(file)) exit(1);
  if (!strcmp(then, "history") && gpumemprof_history("all")) exit(1);
  if (!cudaMalloc(&p, 8 << 20)) cudaFree(p);
  return unused;
}

static __attribute__((noinline)) void let_other_thread_allocate(void) {
  pthread_t id;
  if (pthread_create(&id, NULL, other_thread, NULL) || pthread_join(id, NULL)) exit(1);
  if (!strcmp(then, "kill")) raise(SIGKILL);
  if (!strcmp(then, "exit")) exit(0);
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
  if (argc > 2) then = argv[2];
  if (argc > 3) file = argv[3];
  if (cudaMalloc(&first, 512)) return 1;
  for (int i = 0; i < (*then ? 1 : 3); i++) {
    f0();
    if (cudaFree(kept)) return 1;
  }
  return cudaFree(first) ? 1 : 0;
}
