/* A program that owns names of CUDA functions (own_names_table.c) and allocates on two devices. */
#ifdef TOGETHER
#include "own_names_table.c"
#else
#include "own_names.h"

#include <stddef.h>
#endif

int cudaMalloc(void **p, size_t bytes);
int cudaFree(void *p);
int cudaSetDevice(int device);

int main(void) {
  void *a, *b;
  if (cudaSetDevice(1) || cudaMalloc(&a, 2 << 20)) return 3;
  own_names_fill();
  own_names_use();
  if (cudaSetDevice(0) || cudaMalloc(&b, 1 << 20)) return 4;
  own_names_use();
  return cudaFree(a) ? 5 : 0;
}
