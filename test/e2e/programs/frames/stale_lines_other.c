/* The functions that stale_lines.c calls. */
#include <cuda_runtime.h>

#include "gpumemprof/gpumemprof.h"

#ifdef PLAIN
void plain_back(void (*f)(void *), void *data) {
  f(data);
}
#else
void other_make(void **p, unsigned long n) {
  cudaMalloc(p, n);
}
GPUMEMPROF_IGNORE void other_ignored(void **p, unsigned long n) {
  cudaMalloc(p, n);
}
void other_free(void *p) {
  cudaFree(p);
}
void other_first(void **p) {
  cudaMalloc(p, 3000);
}
static void hand_on(void (*f)(void *), void *data) {
  f(data);
}
void other_back(void (*f)(void *), void *data) {
  hand_on(f, data);
}
#endif
