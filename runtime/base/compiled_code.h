/* compiled_code.h - what every event on the first device writes, in one cache line, because another
 * thread's event has mostly taken it away.
 */
#ifndef GPM_COMPILED_CODE_H
#define GPM_COMPILED_CODE_H

#include "base/lock.h"

#include "gpumemprof/hooks.h"

/* Use __gpumemprof_clock: where a program that is not position-independent has a copy of that
 * variable, `clock` is not in use. */
struct gpm_first_line {
  struct gpumemprof_clock clock;
  struct gpm_lock lock; /* devices.c: of the first GPU, and of what is no GPU */
} __attribute__((aligned(64)));
extern struct gpm_first_line gpm_first_line;

#endif /* GPM_COMPILED_CODE_H */
