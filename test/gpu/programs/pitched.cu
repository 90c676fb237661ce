// cudaMallocPitch and cudaMalloc3D: the device gives more than was asked for; the pitch says how
// much.
#include "expect.h"
#include <cuda_runtime.h>

int main() {
  expect e;
  unsigned long long allocated = 0;
  unsigned long long peak = 0;
  for (size_t width = 100; width <= 3100; width += 1000) {
    float *p = nullptr;
    size_t pitch = 0;
    CHECK(cudaMallocPitch(&p, &pitch, width, 480));
    cudaPitchedPtr volume;
    CHECK(cudaMalloc3D(&volume, make_cudaExtent(width, 48, 3)));
    unsigned long long both = pitch * 480 + volume.pitch * 48 * 3;
    allocated += both;
    if (both > peak) peak = both;
    CHECK(cudaFree(p));
    CHECK(cudaFree(volume.ptr));
  }
  e.device(0, allocated, allocated, peak);
  return 0;
}
