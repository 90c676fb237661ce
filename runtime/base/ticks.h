/* ticks.h - the cheap clock that stamps events: see ticks.c.
 */
#ifndef GPM_TICKS_H
#define GPM_TICKS_H

#include <stdint.h>

void gpm_ticks_start(void); /* once per program */
uint64_t gpm_ticks_monotonic_ns(void);
/* On AArch64 the counter may have 25 MHz, where the history's unit of 64 ticks would be 2.6 us. So
 * it is counted in smaller units: by this many bits, until there are some 1e9 of them a second. */
extern unsigned gpm_ticks_shift;
static inline uint64_t gpm_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t t;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t << gpm_ticks_shift;
#else
  return gpm_ticks_monotonic_ns();
#endif
}

#endif /* GPM_TICKS_H */
