/* Allocates once, in a scope of its own or in none, and ends, aborts or leaves by _exit before it
 * would have freed. */
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpumemprof/gpumemprof.h"

static void *take(void) {
  void *p;
  cudaMalloc(&p, 1 << 20);
  return p;
}

static void *take_in_a_scope(void) {
  GPUMEMPROF_SCOPE("epoch");
  return take();
}

int main(int argc, char **argv) {
  void *p = argc > 1 && !strcmp(argv[1], "scoped") ? take_in_a_scope() : take();
  if (argc > 1 && !strcmp(argv[1], "aborts")) abort();
  if (argc > 1 && !strcmp(argv[1], "leaves")) _exit(3);
  cudaFree(p);
  return 0;
}
