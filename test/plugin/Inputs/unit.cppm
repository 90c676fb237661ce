module;
#include "cuda.h"
export module unit;
export __attribute__((gpumemprof_profile)) void in_unit(int n) {
  void *p;
  cudaMalloc(&p, n);
}
