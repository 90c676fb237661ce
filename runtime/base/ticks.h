/* ticks.h - the cheap clock that stamps events: see ticks.c.
 */
#ifndef GPM_TICKS_H
#define GPM_TICKS_H

#include <stdint.h>

void gpm_ticks_start(void); /* once per program */
uint64_t gpm_ticks_monotonic_ns(void);
static inline uint64_t gpm_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t t;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
#else
  return gpm_ticks_monotonic_ns();
#endif
}

#endif /* GPM_TICKS_H */
