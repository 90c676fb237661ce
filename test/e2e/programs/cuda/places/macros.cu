// macros.cu - launches of one macro: there is no place between them where memory could be allocated
// or freed. Compiled with -DEDITED the program has the change that is advised. See uses_places.py.
#include <cstring>
#include <cuda_runtime.h>

#include "../uses_kernels.h"

enum { N = 1 << 16, BYTES = N * 4 };

#define THREE(a, b, c)                                                                             \
  do {                                                                                             \
    scale<<<N / 256, 256>>>(a, 2, N);                                                              \
    scale<<<N / 256, 256>>>(b, 2, N);                                                              \
    scale<<<N / 256, 256>>>(c, 2, N);                                                              \
  } while (0)
#define THREE_EXTENDED(a, b, c)                                                                    \
  do {                                                                                             \
    cudaLaunchKernelEx(&config, scale, a, 2.0f, (int)N);                                           \
    cudaLaunchKernelEx(&config, scale, b, 2.0f, (int)N);                                           \
    cudaLaunchKernelEx(&config, scale, c, 2.0f, (int)N);                                           \
  } while (0)

int main(int, char **arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(N / 256);
  config.blockDim = dim3(256);
  float *a, *b, *c, *d;
  cudaMalloc(&a, BYTES);
  cudaMalloc(&b, BYTES);
  cudaMalloc(&c, BYTES);
#ifndef EDITED
  cudaMalloc(&d, 2 * BYTES);
#endif
  if (!strcmp(arguments[1], "launches")) THREE(a, b, c);
  else THREE_EXTENDED(a, b, c);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
#ifdef EDITED
  cudaMalloc(&d, 2 * BYTES);
#endif
  scale<<<N / 256, 256>>>(d, 2, N);
  cudaFree(d);
}
