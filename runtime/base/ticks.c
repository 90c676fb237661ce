/* ticks.c - CLOCK_MONOTONIC, for calibrating the tick counter that stamps events.
 *
 * An event takes a tick (about 10 ns on x86), not a clock_gettime; the capture's header keeps two
 * points (ticks, ns) that readers interpolate between. The clock is read without the kernel where
 * the kernel has mapped a function for that.
 */
#include "base/ticks.h"
#include "base/loaded.h"
#include "base/system_calls.h"

typedef int (*read_clock)(clockid_t clock, struct timespec *now);
static _Atomic(read_clock) mapped_clock;
unsigned gpm_ticks_shift;

#include <stdatomic.h>

void gpm_ticks_start(void) {
#if defined(__aarch64__)
  uint64_t frequency;
  __asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
  for (gpm_ticks_shift = 0; frequency && frequency << gpm_ticks_shift < 700000000u;)
    gpm_ticks_shift++;
#endif
#if defined(__x86_64__)
  static const char *const name = "__vdso_clock_gettime";
#else
  static const char *const name = "__kernel_clock_gettime";
#endif
  void *found = NULL;
  if (gpm_loaded_functions("linux-vdso.so.1", &name, &found, 1))
    atomic_store(&mapped_clock, (read_clock)found);
}

uint64_t gpm_ticks_monotonic_ns(void) {
  struct timespec now;
  read_clock mapped = atomic_load_explicit(&mapped_clock, memory_order_relaxed);
  if (!mapped || mapped(CLOCK_MONOTONIC, &now)) gpm_clock(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
