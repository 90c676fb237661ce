/* ticks.c - CLOCK_MONOTONIC, for calibrating the tick counter that stamps events.
 *
 * An event takes a tick (about 10 ns on x86), not a clock_gettime; the capture's header keeps two
 * points (ticks, ns) that readers interpolate between.
 */
#include "runtime.h"

#include <time.h>

uint64_t gpm_ticks_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
