// The driver API beside the runtime API, on the same primary context.
#include "expect.h"
#include <cuda.h>
#include <cuda_runtime.h>

int main() {
  expect e;
  CHECK(cuInit(0));
  CUdevice device;
  CHECK(cuDeviceGet(&device, 0));
  CUcontext context;
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));

  CUdeviceptr a, b, c, d;
  void *host = nullptr;
  float *mixed = nullptr;
  CHECK(cuMemAlloc(&a, 10 * MIB));
  CHECK(cuMemAllocManaged(&b, 2 * MIB, CU_MEM_ATTACH_GLOBAL));
  CHECK(cuMemAllocHost(&host, 3 * MIB));
  CHECK(cuMemAllocAsync(&c, 5 * MIB, nullptr));
  CHECK(cudaMalloc(&mixed, MIB));
  CHECK(cuMemFree((CUdeviceptr)mixed));
  CHECK(cuMemFreeAsync(c, nullptr));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemFreeHost(host));
  CHECK(cuMemFree(b));
  CHECK(cudaFree((void *)a));
  const int leak_line = __LINE__ + 1;
  CHECK(cuMemAlloc(&d, 4096));
  e.device(0, 18 * MIB + 4096, 18 * MIB, 18 * MIB);
  e.device(-1, 3 * MIB, 3 * MIB, 3 * MIB);
  e.leak(leak_line, 4096);
  return 0;
}
