#include <cuda_runtime.h>

void *hold(size_t size) {
  void *block = nullptr;
  cudaMalloc(&block, size);
  return block;
}
