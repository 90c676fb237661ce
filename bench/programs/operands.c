/* operands.c - what it adds to an allocation and its free to tell what the size was computed from.
 *
 *   operands none|one|two|changing COUNT
 *
 * none:     a constant size
 * one:      of a value that stays
 * two:      of two that stay
 * changing: of one that is another in each call */
#include "timer.h"

#include "bench_cuda.h"

#include <stdio.h>
#include <string.h>

#define PAIR(size)                                                                                 \
  do {                                                                                             \
    void *p;                                                                                       \
    cudaMalloc(&p, size);                                                                          \
    __asm__ volatile("" : "+r"(p) : : "memory");                                                   \
    cudaFree(p);                                                                                   \
  } while (0)
/* Nothing is known of it at its use. */
#define HIDE(value) __asm__ volatile("" : "+r"(value))

static __attribute__((noinline)) void none(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) PAIR(64);
  __asm__ volatile("");
}

static __attribute__((noinline)) void one(uint64_t count) {
  uint64_t n = 64;
  for (uint64_t i = 0; i < count; i++) {
    HIDE(n);
    PAIR(n);
  }
  __asm__ volatile("");
}

static __attribute__((noinline)) void two(uint64_t count) {
  uint64_t n = 8;
  int m = 8;
  for (uint64_t i = 0; i < count; i++) {
    HIDE(n);
    HIDE(m);
    PAIR(n * (uint64_t)m);
  }
  __asm__ volatile("");
}

static __attribute__((noinline)) void changing(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) PAIR(64 + i * 0);
  __asm__ volatile("");
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  void (*run)(uint64_t) = !strcmp(mode, "none")       ? none
                          : !strcmp(mode, "one")      ? one
                          : !strcmp(mode, "two")      ? two
                          : !strcmp(mode, "changing") ? changing
                                                      : NULL;
  if (!run) {
    fprintf(stderr, "usage: %s none|one|two|changing COUNT\n", argv[0]);
    return 2;
  }
  uint64_t count = bench_count(argc, argv, 2, "pairs");
  bench_pin();
  run(1000); /* a fixed warm-up: falls out of slopes */
  uint64_t start = bench_cpu_ns();
  run(count);
  bench_print(bench_cpu_ns() - start, count);
  return 0;
}
