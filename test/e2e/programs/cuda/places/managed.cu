// managed.cu - managed memory that the host does not touch: it could be memory of cudaMalloc,
// unless another GPU uses it. See uses_places.py.
#include <cstring>
#include <cuda_runtime.h>

#include "../uses_kernels.h"

enum { N = 1 << 24, BYTES = N * 4 };

static float *first, *second, *third;

int main(int, char **arguments) {
  cudaMallocManaged(&first, BYTES); // @first
  cudaMallocManaged(&second, BYTES);
  cudaMallocManaged(&third, BYTES);
  cudaMemset(first, 0, BYTES);
  scale<<<N / 256, 256>>>(first, 2, N);
  scale<<<N / 256, 256>>>(second, 2, N);
  scale<<<N / 256, 256>>>(third, 2, N);
  if (!strcmp(arguments[1], "another_gpu")) {
    cudaSetDevice(1);
    scale<<<N / 256, 256>>>(first, 2, N);
  }
  cudaDeviceSynchronize();
  cudaFree(first);
  cudaFree(second);
  cudaFree(third);
}
