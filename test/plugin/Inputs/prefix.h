#include "cuda.h"
__attribute__((gpumemprof_profile)) inline void in_header(int n) {
  void *p;
  cudaMalloc(&p, n);
}
[[gpumemprof::ignore]] inline void skipped(int n) {
  void *p;
  cudaMalloc(&p, n);
}
