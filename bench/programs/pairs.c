/* pairs.c - what tracking adds to one allocation and its free, at a given call depth.
 *
 *   pairs loop|call|rebuild|async DEPTH COUNT [THREADS]
 *
 * loop:    COUNT pairs in the deepest function
 * call:    COUNT calls of the deepest function, one pair each: every pair has a scope of its own
 * rebuild: every pair climbs down from main again: every frame of the path is a new scope
 * async:   as loop, in a pool: cudaMallocAsync and cudaFreeAsync
 * DEPTH counts the functions of this file on the stack, main included.
 * THREADS: so many threads have allocated when it begins, the main one included.
 *
 * BENCH_MALLOC: malloc and free (for heaptrack); else cudaMalloc and cudaFree of stub_cuda.c. */
#include "timer.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BENCH_MALLOC
#define ALLOCATE(p) ((p) = malloc(64))
#define RELEASE(p) free(p)
#define ALLOCATE_ASYNC ALLOCATE
#define RELEASE_ASYNC RELEASE
#else
#include "bench_cuda.h"
#define ALLOCATE(p) cudaMalloc(&(p), 64)
#define RELEASE(p) cudaFree(p)
#define ALLOCATE_ASYNC(p) cudaMallocAsync(&(p), 64, NULL)
#define RELEASE_ASYNC(p) cudaFreeAsync((p), NULL)
#endif

/* The deepest function. */
#define PAIRS(name, allocate, release)                                                             \
  static __attribute__((noinline)) void name(uint64_t count) {                                     \
    for (uint64_t i = 0; i < count; i++) {                                                         \
      void *p;                                                                                     \
      allocate(p);                                                                                 \
      __asm__ volatile("" : "+r"(p) : : "memory");                                                 \
      release(p);                                                                                  \
    }                                                                                              \
    __asm__ volatile("");                                                                          \
  }
PAIRS(async_pairs, ALLOCATE_ASYNC, RELEASE_ASYNC)
PAIRS(pairs, ALLOCATE, RELEASE)

static bool async;

static __attribute__((noinline)) void descend(uint64_t levels, uint64_t calls, uint64_t each) {
  if (levels > 1) descend(levels - 1, calls, each);
  else if (async) async_pairs(each);
  else
    for (uint64_t i = 0; i < calls; i++) pairs(each);
  __asm__ volatile("");
}

static __attribute__((noinline)) void run(const char *mode, uint64_t levels, uint64_t count) {
  async = !strcmp(mode, "async");
  if (async || !strcmp(mode, "loop")) descend(levels, 1, count);
  else if (!strcmp(mode, "call")) descend(levels, count, 1);
  else
    for (uint64_t i = 0; i < count; i++) descend(levels, 1, 1);
  __asm__ volatile("");
}

static void *allocate_once(void *unused) {
  (void)unused;
  pairs(1);
  return NULL;
}

static void begin_threads(uint64_t others) {
  pairs(1);
  for (uint64_t i = 0; i < others; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, allocate_once, NULL) || pthread_join(thread, NULL)) exit(1);
  }
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "loop") && strcmp(mode, "call") && strcmp(mode, "rebuild") &&
      strcmp(mode, "async")) {
    fprintf(stderr, "usage: %s loop|call|rebuild|async DEPTH COUNT [THREADS]\n", argv[0]);
    return 2;
  }
  uint64_t depth = bench_count(argc, argv, 2, "depth");
  uint64_t count = bench_count(argc, argv, 3, "pairs");
  if (depth < 4) {
    fprintf(stderr, "%s: depth must be at least 4 (main, run, descend, pairs)\n", argv[0]);
    return 2;
  }
  uint64_t threads = argc > 4 ? bench_count(argc, argv, 4, "threads") : 1;
  bench_pin();
  begin_threads(threads - 1);
  run(mode, depth - 3, 1000); /* a fixed warm-up: falls out of slopes */
  uint64_t start = bench_cpu_ns();
  run(mode, depth - 3, count);
  bench_print(bench_cpu_ns() - start, count);
  return 0;
}
