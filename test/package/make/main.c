#include <cuda_runtime.h>

int main(void) {
  float *kept;
  cudaMalloc((void **)&kept, 3072);
  return 0;
}
