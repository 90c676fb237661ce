/* frame.c - a function that makes one call, in a loop: what a whole frame adds, with its call site.
 * A leaf gets no frame and an early return none either, so that flat.c and fib.c do not show it. */
#include "timer.h"

static __attribute__((noinline)) uint64_t frame(uint64_t x) {
  bench_nothing();
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

static __attribute__((noinline)) uint64_t loop(uint64_t calls) {
  uint64_t x = 0;
  for (uint64_t i = 0; i < calls; i++) x = frame(x);
  return x;
}

int main(int argc, char **argv) {
  uint64_t calls = bench_count(argc, argv, 1, "calls");
  bench_pin();
  loop(100000); /* a fixed warm-up: falls out of slopes */
  uint64_t start = bench_cpu_ns();
  uint64_t done = loop(calls);
  bench_print(bench_cpu_ns() - start, calls);
  return done == calls ? 0 : 1;
}
