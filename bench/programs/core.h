/* core.h - what blocks.c and maxima.c need of the runtime, for benchmarks that include them. */
#ifndef BENCH_CORE_H
#define BENCH_CORE_H

#include "lock.c"
#include "memory.c"
#include "ticks.c"

#include <stdio.h>
#include <stdlib.h>

void gpm_process_stop(const char *why) {
  fprintf(stderr, "%s\n", why);
  exit(1);
}

#endif /* BENCH_CORE_H */
