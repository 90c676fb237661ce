/* steps MODE N: N iterations that allocate, keep and free. Prints as JSON what happened, event by
 * event ([step, bytes] with a sign; steps as the profiler should number them, -1 before the first),
 * and the cycles it was notified of. MODE: calls, function, threads, block, idle, fork or none. */
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
  long step, bytes;
} events[100000];
static int event_count, step_now, callback_allocates, cycle_count;
static char cycles[64][4096];
static struct {
  void *p;
  long bytes;
} kept[4096];
static int kept_count;
static unsigned state = 12345;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static unsigned draw(unsigned n) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % n;
}

static void note(long bytes) {
  events[event_count].step = step_now;
  events[event_count++].bytes = bytes;
}

__attribute__((noinline)) static void take(void) {
  long bytes = 512 * (long)(1 + draw(40));
  if (cudaMalloc(&kept[kept_count].p, (size_t)bytes)) _Exit(3);
  kept[kept_count++].bytes = bytes;
  note(bytes);
}

__attribute__((noinline)) static void give(void) {
  if (!kept_count) return;
  int i = (int)draw((unsigned)kept_count);
  if (cudaFree(kept[i].p)) _Exit(4);
  note(-kept[i].bytes);
  kept[i] = kept[--kept_count];
}

__attribute__((noinline)) void train_step(void) {
  if (draw(2)) give();
  for (unsigned n = 1 + draw(5); n-- > 0;) take();
  for (unsigned n = draw(5); n-- > 0;) give();
}

__attribute__((noinline)) void idle(void) {
  if (draw(1000) == 1000) train_step();
}
GPUMEMPROF_PROFILE __attribute__((noinline)) void counted(void) {
  if (draw(1000) == 1000) train_step();
}

static void on_cycle(const struct gpumemprof_cycle *c, void *data) {
  if (data != cycles || c->size != sizeof *c) _Exit(5);
  snprintf(cycles[cycle_count++], sizeof cycles[0], "%u %s", c->number, c->path ? c->path : "");
  if (!callback_allocates) return;
  void *p;
  if (cudaMalloc(&p, 4096)) _Exit(6); /* it may do whatever the program may */
  note(4096);
  cudaFree(p);
  note(-4096);
}

static int iterations;
static void *thread_main(void *data) {
  for (;;) {
    pthread_mutex_lock(&turn);
    int more = iterations-- > 0;
    if (more) {
      step_now++;
      train_step();
    }
    pthread_mutex_unlock(&turn);
    if (!more) return data;
  }
}

static void run_threads(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, thread_main, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}

static void print(unsigned long long steps) {
  printf("{\"steps\": %llu, \"events\": [", steps);
  for (int i = 0; i < event_count; i++)
    printf("%s[%ld, %ld]", i ? ", " : "", events[i].step, events[i].bytes);
  printf("], \"cycles\": [");
  for (int i = 0; i < cycle_count; i++) printf("%s\"%s\"", i ? ", " : "", cycles[i]);
  printf("]}\n");
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "calls";
  iterations = argc > 2 ? atoi(argv[2]) : 10;
  unsigned long long steps = 0;
  int calls = !strcmp(mode, "calls") || !strcmp(mode, "fork");
  gpumemprof_on_cycle(on_cycle, cycles);
  callback_allocates = calls;
  step_now = calls ? 0 : -1;
  for (int i = 0; i < 5; i++) take();
  if (!strcmp(mode, "threads")) run_threads();
  else
    for (int i = 0; i < iterations; i++) {
      if (!strcmp(mode, "idle")) idle(), counted();
      else if (!strcmp(mode, "block")) {
        GPUMEMPROF_SCOPE("epoch");
        step_now++;
        train_step();
      } else {
        if (!calls) step_now++;
        train_step();
        if (!calls) continue;
        step_now++;
        steps = gpumemprof_step();
        if (steps && steps != (unsigned long long)i + 1) _Exit(7);
      }
    }
  if (!strcmp(mode, "fork")) {
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
      event_count = cycle_count = 0;
      step_now = 0;
      for (int i = 0; i < 3; i++) {
        take();
        step_now++;
        if (gpumemprof_step() != (unsigned long long)i + 1) _Exit(8);
      }
      char name[64];
      snprintf(name, sizeof name, "%d.json", (int)getpid());
      if (!freopen(name, "w", stdout)) _Exit(9);
      print(3);
      exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status) _Exit(10);
  }
  print(steps);
  return 0;
}
