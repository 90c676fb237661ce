#include <cuda_runtime.h>

void work(unsigned long bytes) {
  float *kept;
  cudaMalloc((void **)&kept, 3 * bytes);
}
