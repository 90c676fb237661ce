/* alerts MODE STEPS: iterations that keep and free blocks; prints as JSON what is live at the end
 * of each, what it kept there, and the growth it is notified of. MODE: calls (gpumemprof_step),
 * asks (and gpumemprof_on_growth), stops (asking, half way), function (no step at all:
 * step=iteration), levels (rises and falls of the total), fork. */
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KIB = 1024 };
static struct {
  void *p;
  long bytes;
} kept[4096];
static int kept_count;
static long live, kept_now;
static unsigned state = 99;
static const char *mode;

static unsigned draw(unsigned n) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % n;
}

static void *take(long bytes) {
  void *p = NULL;
  if (cudaMalloc(&p, (size_t)bytes)) _Exit(3);
  return p;
}

__attribute__((noinline)) static void cache(long bytes) {
  if (cudaMalloc(&kept[kept_count].p, (size_t)bytes)) _Exit(3);
  kept[kept_count++].bytes = bytes;
  live += bytes;
  kept_now += bytes;
}

__attribute__((noinline)) void iteration(void) {
  kept_now = 0;
  cudaFree(take(512 * KIB));
  while (kept_count && draw(3)) {
    int i = (int)draw((unsigned)kept_count);
    cudaFree(kept[i].p);
    live -= kept[i].bytes;
    kept[i] = kept[--kept_count];
  }
  for (unsigned n = draw(4); n-- > 0;) cache(KIB * (long)(1 + draw(64)));
}

static void report(const struct gpumemprof_growth *g, void *data) {
  struct gpumemprof_remaining left = gpumemprof_leaks(g->from, g->to, NULL, NULL);
  printf("{\"reported\": %lu, \"before\": %lu, \"live\": %lu, \"left\": %lu, \"data\": \"%s\", "
         "\"size\": %d}\n",
         g->step, g->before, g->live, left.bytes, (const char *)data, g->size == sizeof *g);
}

static void loop(int steps) {
  for (int i = 0; i < steps; i++) {
    if (!strcmp(mode, "stops") && i == steps / 2) gpumemprof_on_growth(0, NULL, NULL);
    iteration();
    printf("{\"step\": %d, \"live\": %ld, \"kept\": %ld}\n", i + 1, live, kept_now);
    if (strcmp(mode, "function")) gpumemprof_step();
    fflush(stdout);
  }
}

int main(int argc, char **argv) {
  mode = argc > 1 ? argv[1] : "calls";
  int steps = argc > 2 ? atoi(argv[2]) : 30;
  if (!strcmp(mode, "levels")) {
    void *a = take(500 * KIB), *b = take(300 * KIB), *c = take(150 * KIB);
    cudaFree(b);
    cudaFree(c);
    b = take(600 * KIB);
    cudaFree(a);
    cudaFree(b);
    return 0;
  }
  if (strcmp(mode, "calls") && strcmp(mode, "function"))
    printf("{\"set\": %d}\n", gpumemprof_on_growth(20 * KIB, report, "data"));
  fflush(stdout);
  loop(!strcmp(mode, "fork") ? 3 : steps);
  if (!strcmp(mode, "fork")) {
    printf("{\"fork\": 1}\n");
    fflush(stdout);
    if (!fork()) {
      loop(steps); /* what the parent holds is not the child's */
      fflush(stdout);
      _Exit(0);
    }
    wait(NULL);
  }
  return 0;
}
