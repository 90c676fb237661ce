/* flat.c - the cheapest call there is, in a loop: what one enter and exit adds. */
#include "timer.h"

static __attribute__((noinline)) uint64_t step(uint64_t x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

#include "loop.h"
