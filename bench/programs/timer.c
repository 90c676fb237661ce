/* timer.c - clock, pinning and the result line of the benchmark programs; see timer.h.
 *
 * A thread's own processor time is measured, and the thread pins itself: a tool that starts helper
 * processes (heaptrack does) must not have those pinned to the same processor. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "timer.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int fifo = 2; /* not asked for */

BENCH_API void bench_pin(void) {
  bench_pin_nth(0);
}

BENCH_API void bench_pin_nth(unsigned n) {
  const char *text = getenv("BENCH_CPU");
  if (!text) return;
  size_t first = strtoul(text, NULL, 10);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(n <= first ? first - n : n, &set);
  (void)sched_setaffinity(0, sizeof set, &set);
  struct sched_param param;
  memset(&param, 0, sizeof param);
  param.sched_priority = 20;
  fifo = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0;
}

BENCH_API uint64_t bench_cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Of a run whose instructions are counted (harness/measure.py) no time is printed: a busy
 * machine makes it longer, and to print a longer number takes more of them. */
static uint64_t printed(uint64_t ns) {
  return getenv("BENCH_COUNTED") ? 0 : ns;
}

BENCH_API void bench_print(uint64_t ns, uint64_t operations) {
  printf("bench %" PRIu64 " %" PRIu64 " fifo=%d\n", printed(ns), operations, fifo);
}

BENCH_API void bench_print_as(const char *name, uint64_t ns, uint64_t operations) {
  printf("bench %s %" PRIu64 " %" PRIu64 " fifo=%d\n", name, printed(ns), operations, fifo);
}

BENCH_API void bench_nothing(void) {}

BENCH_API uint64_t bench_count(int argc, char **argv, int index, const char *what) {
  char *end = NULL;
  uint64_t value = index < argc ? strtoull(argv[index], &end, 10) : 0;
  if (!end || *end || end == argv[index]) {
    fprintf(stderr, "%s: argument %d must be a number: %s\n", argv[0], index, what);
    exit(2);
  }
  return value;
}
