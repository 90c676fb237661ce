/* Loaded by ending.c with dlopen. */
#include <cuda_runtime.h>

static void inside(size_t bytes) {
  void *p, *q;
  cudaMalloc(&p, bytes);
  cudaMalloc(&q, 2 * bytes);
  cudaFree(q);
}

void library_work(size_t bytes) {
  inside(bytes);
}
