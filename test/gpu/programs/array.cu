// cudaMallocArray: bytes are those of the elements (the device may pad; CUPTI shows how much).
#include "expect.h"
#include <cuda_runtime.h>

int main() {
  expect e;
  cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  cudaChannelFormatDesc four = cudaCreateChannelDesc<uchar4>();
  cudaArray_t a = nullptr;
  cudaArray_t b = nullptr;
  cudaArray_t c = nullptr;
  CHECK(cudaMallocArray(&a, &one, 1024, 512));
  CHECK(cudaMallocArray(&b, &four, 333, 77));
  const int leak_line = __LINE__ + 1;
  CHECK(cudaMallocArray(&c, &one, 4096));
  CHECK(cudaFreeArray(b));
  CHECK(cudaFreeArray(a));
  CHECK(cudaFreeArray(nullptr));
  const unsigned long long bytes = 4ull * 1024 * 512 + 4ull * 333 * 77;
  e.device(0, bytes + 4096 * 4, bytes, bytes + 4096 * 4);
  e.leak(leak_line, 4096 * 4);
  return 0;
}
