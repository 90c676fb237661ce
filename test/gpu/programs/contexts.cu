// Contexts that end with memory in them, and what outlives them.
#include "expect.h"
#include <cuda.h>
#include <cuda_runtime.h>

int main() {
  expect e;
  void *a, *p;
  CHECK(cudaMalloc(&a, 1 * MIB));
  CUcontext own, before;
  CHECK(cuCtxGetCurrent(&before));
  CUctxCreateParams params = {};
  CHECK(cuCtxCreate(&own, &params, 0, 0));
  CUdeviceptr b, c;
  void *host;
  CHECK(cuMemAlloc(&b, 2 * MIB));
  CHECK(cuMemAllocManaged(&c, 4 * MIB, CU_MEM_ATTACH_GLOBAL));
  CHECK(cuMemAllocHost(&host, 4096));
  CHECK(cuCtxDestroy(own)); // 2 MiB, 4 MiB and the host's go
  CHECK(cuCtxSetCurrent(before));
  const int leak_line = __LINE__ + 1;
  CHECK(cudaMallocAsync(&p, 8 * MIB, 0));
  CHECK(cudaStreamSynchronize(0));
  CHECK(cudaMallocHost(&host, 8192));
  CHECK(cudaDeviceReset()); // 1 MiB and the host's; the pool's stays
  CHECK(cudaMalloc(&a, 16 * MIB));
  CHECK(cudaFree(a));
  e.device(0, 31 * MIB, 23 * MIB, 24 * MIB);
  e.device(-1, 4096 + 8192, 4096 + 8192, 8192);
  e.leak(leak_line, 8 * MIB);
  return 0;
}
