// Each device has a ledger of its own; a block is freed while another device is current. With one
// device the loop runs once.
#include "expect.h"
#include <cuda_runtime.h>

int main() {
  expect e;
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count > 4) count = 4;
  void *blocks[4] = {};
  for (int device = 0; device < count; device++) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaMalloc(&blocks[device], (size_t)(device + 1) * MIB));
  }
  CHECK(cudaSetDevice(0));
  for (int device = 0; device < count; device++) {
    const unsigned long long bytes = (unsigned long long)(device + 1) * MIB;
    CHECK(cudaFree(blocks[device]));
    e.device(device, bytes, bytes, bytes);
  }
  return 0;
}
