/* loop.h - the loop around one function, `step`, and the program that times it. Included after
 * step. */
#include "timer.h"

static __attribute__((noinline)) uint64_t loop(uint64_t calls) {
  uint64_t x = 0;
  for (uint64_t i = 0; i < calls; i++) x = step(x);
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
