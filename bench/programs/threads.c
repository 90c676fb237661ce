/* threads.c - allocations and frees by several threads at once: how many pairs a second.
 *
 *   threads THREADS COUNT WORK     COUNT pairs in each thread, WORK steps of other work after each
 *
 * Every thread has a call path and blocks of its own. The time is that of the clock on the wall,
 * from the moment all of them start until the last one is done; and the processor time of all. */
#define _GNU_SOURCE
#include "bench_cuda.h"
#include "timer.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define THREADS_MAX 64
struct run {
  uint64_t start, end, cpu;
};
static pthread_barrier_t line;
static uint64_t count, work;

static uint64_t wall_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) uint64_t pairs(void) {
  uint64_t x = 1;
  for (uint64_t i = 0; i < count; i++) {
    void *p;
    if (cudaMalloc(&p, 512)) exit(1);
    cudaFree(p);
    for (uint64_t step = 0; step < work; step++) {
      x = x * 0x9e3779b97f4a7c15ULL + 1;
      __asm__ volatile("" : "+r"(x));
    }
  }
  return x;
}

static void *thread(void *argument) {
  struct run *run = argument;
  void *p; /* the first event of a thread makes its record */
  if (cudaMalloc(&p, 512)) exit(1);
  cudaFree(p);
  pthread_barrier_wait(&line);
  run->start = wall_ns();
  run->cpu = bench_cpu_ns();
  pairs();
  run->cpu = bench_cpu_ns() - run->cpu;
  run->end = wall_ns();
  return NULL;
}

int main(int argc, char **argv) {
  uint64_t threads = bench_count(argc, argv, 1, "threads");
  count = bench_count(argc, argv, 2, "pairs of each thread");
  work = bench_count(argc, argv, 3, "steps of work");
  if (!threads || threads > THREADS_MAX) return 2;
  pthread_t handles[THREADS_MAX];
  struct run runs[THREADS_MAX];
  pthread_barrier_init(&line, NULL, (unsigned)threads);
  for (uint64_t i = 0; i < threads; i++)
    if (pthread_create(&handles[i], NULL, thread, &runs[i])) return 1;
  struct run all = {UINT64_MAX, 0, 0};
  for (uint64_t i = 0; i < threads; i++) {
    pthread_join(handles[i], NULL);
    if (runs[i].start < all.start) all.start = runs[i].start;
    if (runs[i].end > all.end) all.end = runs[i].end;
    all.cpu += runs[i].cpu;
  }
  bench_print_as("wall", all.end - all.start, threads * count);
  bench_print_as("cpu", all.cpu, threads * count);
  return 0;
}
