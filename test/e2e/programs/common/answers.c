/* A wrapper, a leak, and an allocation that a small device has no room for; with an argument it is
 * aborted. */
#include <cuda_runtime.h>
#include <stdlib.h>

static float *make(size_t mib) {
  float *p = NULL;
  return cudaMalloc((void **)&p, mib << 20) == cudaSuccess ? p : NULL;
}

int main(int argc, char **argv) {
  (void)argv;
  float *first = make(16);
  float *kept = make(8);
  float *large = argc > 1 ? NULL : make(64);
  if (argc > 1) abort();
  cudaFree(first);
  return kept == NULL || large != NULL;
}
