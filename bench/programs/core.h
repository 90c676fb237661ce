/* core.h - what blocks.c and maxima.c need of the runtime, for benchmarks that include them. */
#ifndef BENCH_CORE_H
#define BENCH_CORE_H

#include "base/loaded.h"
#include "base/lock.c"
#include "base/memory.c"
#include "base/system_calls.c"
#include "base/ticks.c"

#include <stdio.h>
#include <stdlib.h>

void gpm_process_stop(const char *why) {
  fprintf(stderr, "%s\n", why);
  exit(1);
}

/* No clock of the kernel's own library: none is read here. */
bool gpm_loaded_functions(const char *library, const char *const *names, void **functions,
                          size_t count) {
  (void)library, (void)names, (void)functions, (void)count;
  return false;
}

#endif /* BENCH_CORE_H */
