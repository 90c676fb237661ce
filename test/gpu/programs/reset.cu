// cudaDeviceReset takes everything on the current device; what comes after starts from nothing.
#include "expect.h"
#include <cuda_runtime.h>

int main() {
  expect e;
  char *p = nullptr;
  CHECK(cudaMalloc(&p, 3 * MIB));
  CHECK(cudaMalloc(&p, 2 * MIB));
  CHECK(cudaDeviceReset());
  const int leak_line = __LINE__ + 1;
  CHECK(cudaMalloc(&p, MIB));
  e.device(0, 6 * MIB, 5 * MIB, 5 * MIB);
  e.leak(leak_line, MIB);
  return 0;
}
