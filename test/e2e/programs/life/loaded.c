/* Loaded by loads.c. OTHER: the same shape with other names, so that the same addresses mean other
 * places. */
#include "gpumemprof/gpumemprof.h"

#include <cuda_runtime.h>

#ifdef OTHER
#define inside other_inside
#define BLOCK "other block"
#else
#define BLOCK "block"
#endif

static void *inside(size_t bytes) {
  void *p, *scratch;
  GPUMEMPROF_SCOPE(BLOCK);
  cudaMalloc(&p, bytes);
  cudaMalloc(&scratch, 2 * bytes);
  cudaFree(scratch);
  return p;
}

void *work(void *earlier, size_t bytes) {
  cudaFree(earlier);
  return inside(bytes);
}

void call(void (*back)(void)) {
  back();
}

extern void (*loads_in_constructor)(void) __attribute__((weak));

__attribute__((constructor)) static void constructed(void) {
  void *p;
  if (!&loads_in_constructor || !loads_in_constructor) return;
  loads_in_constructor();
  cudaMalloc(&p, 2 << 10);
}
