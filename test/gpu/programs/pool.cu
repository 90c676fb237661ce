// Stream-ordered memory: the default pool, an explicit pool, frees on another stream, a block of
// the pool given back by cudaFree.
#include "expect.h"
#include <cuda_runtime.h>

int main() {
  expect e;
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = 0;
  cudaMemPool_t pool;
  CHECK(cudaMemPoolCreate(&pool, &props));

  float *a = nullptr;
  float *b = nullptr;
  float *c = nullptr;
  for (int i = 0; i < 10; i++) {
    CHECK(cudaMallocAsync(&a, 8 * MIB, stream));
    CHECK(cudaMallocAsync((void **)&b, 1000, 0));
    CHECK(cudaMallocFromPoolAsync(&c, 4 * MIB, pool, stream));
    CHECK(cudaMemsetAsync(a, 0, 8 * MIB, stream));
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaFree(b));
    CHECK(cudaFreeAsync(c, stream));
  }
  const int leak_line = __LINE__ + 1;
  CHECK(cudaMallocAsync(&a, 6 * MIB, stream));
  CHECK(cudaStreamSynchronize(stream));
  e.device(0, 120 * MIB + 10 * 1000 + 6 * MIB, 120 * MIB + 10 * 1000, 12 * MIB + 1000);
  e.leak(leak_line, 6 * MIB);
  return 0;
}
