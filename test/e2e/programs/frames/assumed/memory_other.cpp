#include "parts.h"
#include <cstdlib>
#include <new>
void *operator new(size_t n) {
  void *p = nullptr;
  if (n < 4096) p = std::malloc(n);
  else cudaMallocManaged(&p, n, cudaMemAttachGlobal);
  return p;
}
static void release(void *p) { // what was large is left: the library frees it at exit
  cudaPointerAttributes a;
  if (p && (cudaPointerGetAttributes(&a, p) || a.type != cudaMemoryTypeManaged)) std::free(p);
}
void operator delete(void *p) noexcept {
  release(p);
}
void operator delete(void *p, size_t) noexcept {
  release(p);
}
