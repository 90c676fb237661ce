/* fib.c - recursion: every call is an enter, two calls and an exit.
 *
 * The empty asm statements keep both calls calls in every variant: without them clang turns the
 * second one into a loop where no hook follows it, and the variants would make different
 * calls. */
#include "timer.h"

static uint64_t calls;

static __attribute__((noinline)) uint64_t fib(uint64_t n) {
  if (n < 2) return n;
  uint64_t a = fib(n - 1);
  __asm__ volatile("" : "+r"(a));
  uint64_t b = fib(n - 2);
  __asm__ volatile("" : "+r"(b));
  return a + b;
}

int main(int argc, char **argv) {
  uint64_t n = bench_count(argc, argv, 1, "n");
  uint64_t next = 1; /* calls of fib(n) = 2 * fib(n + 1) - 1 */
  for (uint64_t i = 0, here = 0; i < n; i++) {
    uint64_t sum = here + next;
    here = next;
    next = sum;
  }
  calls = 2 * next - 1;
  bench_pin();
  fib(15); /* a fixed warm-up: falls out of slopes */
  uint64_t start = bench_cpu_ns();
  uint64_t value = fib(n);
  bench_print(bench_cpu_ns() - start, calls);
  return n == 0 || value > 0 ? 0 : 1;
}
