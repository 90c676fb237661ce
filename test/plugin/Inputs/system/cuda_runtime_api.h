/* A system header with what cuda_runtime.h has: inline templates around the C functions. */
#pragma once
#include <stddef.h>
extern "C" int cudaMalloc(void **p, size_t n);
extern "C" int cudaFree(void *p);
extern "C" int cudaMemcpy(void *to, const void *from, size_t n, int kind);
template <class T> static inline int cudaMalloc(T **p, size_t n) {
  return cudaMalloc((void **)(void *)p, n);
}
template <class F> void call_twice(F f) {
  f();
  f();
}
