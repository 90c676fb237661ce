// cudaMalloc and cudaFree: an untyped call, the typed template, a wrapper, a zero-size call, a free
// of null, a call that fails, and a leak. What the worked example of ACCOUNTING.md does, on a
// device.
#include "expect.h"
#include <cuda_runtime.h>

__global__ void fill(float *p, size_t n, float value) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) p[i] = value;
}

static int make_line;

static float *make(size_t bytes) {
  float *p = nullptr;
  make_line = __LINE__ + 1;
  CHECK(cudaMalloc((void **)&p, bytes));
  return p;
}

static float *kept;

static void step(float *old) {
  float *a = make(100 * MIB);
  float *b = make(50 * MIB);
  fill<<<1024, 256>>>(b, 1024 * 256, 1.0f);
  CHECK(cudaFree(b));
  CHECK(cudaFree(old));
  kept = a;
}

int main() {
  expect e;
  float *x = make(200 * MIB);
  step(x);
  float *y = make(30 * MIB);
  double *typed = nullptr;
  CHECK(cudaMalloc(&typed, 7));
  CHECK(cudaFree(typed));
  CHECK(cudaFree(nullptr));
  void *huge = nullptr;
  if (cudaMalloc(&huge, 1ull << 50) == cudaSuccess) {
    std::fprintf(stderr, "a device with a PiB of memory\n");
    return 3;
  }
  (void)cudaGetLastError();
  CHECK(cudaFree(kept));
  fill<<<1024, 256>>>(y, 1024 * 256, 2.0f);
  CHECK(cudaDeviceSynchronize());
  e.device(0, 380 * MIB + 7, 350 * MIB + 7, 350 * MIB);
  e.leak(make_line, 30 * MIB);
  return 0;
}
