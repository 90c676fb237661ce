// cudaMallocHost and cudaHostAlloc have a total of their own, the host's, and do not count into the
// device's peak.
#include "expect.h"
#include <cuda_runtime.h>

int main() {
  expect e;
  char *a = nullptr;
  char *b = nullptr;
  char *d = nullptr;
  CHECK(cudaMallocHost(&a, 4 * MIB));
  CHECK(cudaHostAlloc((void **)&b, 2 * MIB, cudaHostAllocMapped));
  CHECK(cudaMalloc(&d, MIB));
  a[0] = 1;
  CHECK(cudaMemcpy(d, a, MIB, cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(a));
  const int leak_line = __LINE__ + 1;
  CHECK(cudaHostAlloc((void **)&a, MIB, cudaHostAllocDefault));
  CHECK(cudaFreeHost(b));
  CHECK(cudaFree(d));
  e.device(0, MIB, MIB, MIB);
  e.device(-1, 7 * MIB, 6 * MIB, 6 * MIB);
  e.leak(leak_line, MIB);
  return 0;
}
