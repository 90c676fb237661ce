// Arrays of three dimensions, with layers, with mipmaps and of the driver API; and host memory that
// is registered or comes from the driver.
#include "expect.h"
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

int main() {
  expect e;
  cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  cudaArray_t box, layers, sparse;
  cudaMipmappedArray_t pyramid;
  unsigned long long bytes = 0;
  CHECK(cudaMalloc3DArray(&box, &one, make_cudaExtent(64, 32, 16), 0));
  bytes += 4ull * 64 * 32 * 16;
  CHECK(cudaMalloc3DArray(&layers, &one, make_cudaExtent(64, 0, 5), cudaArrayLayered));
  bytes += 4ull * 64 * 5;
  CHECK(cudaMallocMipmappedArray(&pyramid, &one, make_cudaExtent(64, 64, 0), 3, 0));
  bytes += 4ull * (64 * 64 + 32 * 32 + 16 * 16);
  CUarray flat, deep;
  CUmipmappedArray levels;
  CUDA_ARRAY_DESCRIPTOR d = {100, 50, CU_AD_FORMAT_UNSIGNED_INT16, 4};
  const int leak_line = __LINE__ + 1;
  CHECK(cuArrayCreate(&flat, &d));
  bytes += 8ull * 100 * 50;
  CUDA_ARRAY3D_DESCRIPTOR d3 = {32, 32, 8, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
  CHECK(cuArray3DCreate(&deep, &d3));
  bytes += 32ull * 32 * 8;
  CHECK(cuMipmappedArrayCreate(&levels, &d3, 2));
  bytes += 32ull * 32 * 8 + 16 * 16 * 4;
  const unsigned long long all = bytes;
  if (cudaMalloc3DArray(&sparse, &one, make_cudaExtent(4096, 4096, 0), cudaArraySparse) ==
      cudaSuccess)
    CHECK(cudaFreeArray(sparse)); // its memory would be cuMemCreate's
  CHECK(cudaFreeArray(box));
  CHECK(cudaFreeArray(layers));
  CHECK(cudaFreeMipmappedArray(pyramid));
  CHECK(cuMipmappedArrayDestroy(levels));
  CHECK(cuArrayDestroy(deep));
  void *host = std::aligned_alloc(4096, 64 * 4096), *more;
  CHECK(cudaHostRegister(host, 10 * 4096, 0));
  CHECK(cuMemHostAlloc(&more, 5000, CU_MEMHOSTALLOC_PORTABLE));
  CHECK(cuMemHostRegister((char *)host + 20 * 4096, 4096, 0));
  if (cudaHostRegister(host, 4096, 0) == cudaSuccess) return 4;
  if (cudaHostUnregister((char *)host + 40 * 4096) == cudaSuccess) return 5;
  CHECK(cudaHostUnregister(host));
  CHECK(cuMemHostUnregister((char *)host + 20 * 4096));
  CHECK(cuMemFreeHost(more));
  (void)cudaGetLastError();
  e.device(0, all, all - 8ull * 100 * 50, all);
  e.device(-1, 11 * 4096 + 5000, 11 * 4096 + 5000, 11 * 4096 + 5000);
  e.leak(leak_line, 8ull * 100 * 50);
  return 0;
}
