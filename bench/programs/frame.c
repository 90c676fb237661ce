/* frame.c - a function that makes one call, in a loop: what a whole frame adds, with its call site.
 * A leaf gets no frame and an early return none either, so that flat.c and fib.c do not show it. */
#include "timer.h"

static __attribute__((noinline)) uint64_t step(uint64_t x) {
  bench_nothing();
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

#include "loop.h"
