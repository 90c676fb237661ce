// CUDA functions found by name: dlsym, cuGetProcAddress, cudaGetDriverEntryPointByVersion.
#include "expect.h"
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

int main() {
  expect e;
  CHECK(cudaFree(nullptr));
  using Malloc = cudaError_t (*)(void **, size_t);
  using Free = cudaError_t (*)(void *);
  Malloc take = (Malloc)dlsym(RTLD_DEFAULT, "cudaMalloc");
  Free give = (Free)dlsym(RTLD_DEFAULT, "cudaFree");
  if (!take || !give || dlsym(RTLD_DEFAULT, "cudaNoSuchFunction")) return 4;
  void *a, *b;
  CHECK(take(&a, 3 * MIB));
  CHECK(cudaMalloc(&b, 1 * MIB)); // by its thunk: once
  CHECK(give(a));
  if (give((char *)b + 512) == cudaSuccess) return 5;
  (void)cudaGetLastError();
  CHECK(give(b));
  CUresult (*alloc)(CUdeviceptr *, size_t), (*asynchronous)(CUdeviceptr *, size_t, CUstream),
      (*release)(CUdeviceptr);
  CUdriverProcAddressQueryResult status;
  CHECK(cuGetProcAddress("cuMemAlloc", (void **)&alloc, 13000, 0, &status));
  CHECK(cuGetProcAddress("cuMemAllocAsync", (void **)&asynchronous, 13000, 0, &status));
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuMemFree", (void **)&release, 13000, cudaEnableDefault,
                                         &found));
  CUdeviceptr c, d;
  CHECK(alloc(&c, 5 * MIB));
  const int leak_line = __LINE__ + 1;
  CHECK(asynchronous(&d, 2 * MIB, nullptr));
  CHECK(release(c));
  if (alloc(&c, (size_t)1 << 50) == CUDA_SUCCESS) return 6;
  e.device(0, 11 * MIB, 9 * MIB, 7 * MIB);
  e.leak(leak_line, 2 * MIB);
  return 0;
}
