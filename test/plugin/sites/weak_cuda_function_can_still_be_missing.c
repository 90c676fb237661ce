// RUN: %clang %gmp -O2 %s %fake -o %t && %t
#include <stddef.h>
__attribute__((weak)) int cudaMallocFromPoolAsync(void **p, size_t n, void *pool, void *stream);
int main(void) {
  void *p;
  return cudaMallocFromPoolAsync ? cudaMallocFromPoolAsync(&p, 1, NULL, NULL) : 0;
}
