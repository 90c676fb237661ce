// cudaMallocManaged, touched on both sides; one block stays live. (Sizes are small: see the
// advice on managed memory in CUDA's own documentation about oversubscription.)
#include "expect.h"
#include <cuda_runtime.h>

__global__ void twice(int *p, int n) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) p[i] *= 2;
}

int main() {
  expect e;
  const int n = 1 << 20;
  int *a = nullptr;
  int *b = nullptr;
  CHECK(cudaMallocManaged(&a, n * sizeof(int)));
  for (int i = 0; i < n; i++) a[i] = i;
  twice<<<n / 256, 256>>>(a, n);
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < 3; round++) {
    CHECK(cudaMallocManaged((void **)&b, 3 * n, cudaMemAttachGlobal));
    b[0] = a[1];
    CHECK(cudaFree(b));
  }
  const int leak_line = __LINE__ + 1;
  CHECK(cudaMallocManaged(&b, 12345));
  CHECK(cudaFree(a));
  e.device(0, 4ull * n + 9ull * n + 12345, 13ull * n, 7ull * n);
  e.leak(leak_line, 12345);
  return 0;
}
