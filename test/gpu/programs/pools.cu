// Pools: created, chosen for a device, trimmed, destroyed with blocks still live; their own figures
// of what is used and reserved.
#include "expect.h"
#include <cuda_runtime.h>

static unsigned long long asked(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  unsigned long long value = 0;
  CHECK(cudaMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

int main() {
  expect e;
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = 0;
  cudaMemPool_t own, usual;
  CHECK(cudaDeviceGetDefaultMemPool(&usual, 0));
  CHECK(cudaMemPoolCreate(&own, &props));
  unsigned long long keep = 1ull << 40;
  CHECK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &keep));
  void *a, *b, *c, *d;
  CHECK(cudaMallocAsync(&a, 10 * MIB, stream)); // of the usual pool
  CHECK(cudaDeviceSetMemPool(0, own));
  CHECK(cudaMallocAsync(&b, 100 * MIB, stream));
  const int leak_line = __LINE__ + 1;
  CHECK(cudaMallocFromPoolAsync(&c, 20 * MIB, usual, stream));
  CHECK(cudaFreeAsync(b, stream));
  CHECK(cudaStreamSynchronize(stream)); // own keeps what it has
  const unsigned long long reserved = asked(own, cudaMemPoolAttrReservedMemCurrent),
                           high = asked(own, cudaMemPoolAttrUsedMemHigh);
  unsigned long long zero = 0;
  CHECK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &zero));
  CHECK(cudaMemPoolTrimTo(own, 0));
  const unsigned long long after = asked(own, cudaMemPoolAttrReservedMemCurrent);
  CHECK(cudaMallocAsync(&d, 3 * MIB, stream));
  CHECK(cudaDeviceSetMemPool(0, usual));
  CHECK(cudaMemPoolDestroy(own)); // d lives on
  CHECK(cudaFreeAsync(d, stream));
  CHECK(cudaFreeAsync(a, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("own pool: reserved %llu, used at most %llu, after the trim %llu\n", reserved, high,
              after);
  std::printf("usual pool: used %llu, at most %llu\n", asked(usual, cudaMemPoolAttrUsedMemCurrent),
              asked(usual, cudaMemPoolAttrUsedMemHigh));
  e.device(0, 133 * MIB, 113 * MIB, 130 * MIB);
  e.leak(leak_line, 20 * MIB);
  return 0;
}
