#include "parts.h"
#include <cstdlib>
#include <new>
void *operator new(size_t n) {
  void *p = nullptr;
  if (n < 4096) p = std::malloc(n);
  else cudaMallocManaged(&p, n, cudaMemAttachGlobal);
  return p;
}
void operator delete(void *p) noexcept {
  std::free(p);
}
void operator delete(void *p, size_t) noexcept {
  std::free(p);
}
