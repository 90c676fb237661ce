#include "held.h"

#include <cuda_runtime.h>

Held::Held(int n) {
  cudaMalloc(&p, size_t(n));
}
Held::~Held() {
  cudaFree(p);
}
