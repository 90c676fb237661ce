/* shrinking_pool.c - two lines take memory from a pool in turns, many times each. In between, the
 * pool gives its memory back to the device, in a call that nobody reports: only a reading of the
 * pool shows that. */
#include <cuda_runtime.h>
#include <stddef.h>

#define MIB ((size_t)1 << 20)

int main(void) {
  for (int round = 0; round < 5; round++) {
    void *p = NULL;
    for (int i = 0; i < 200; i++) {
      cudaMallocAsync(&p, 400 * MIB, 0);
      cudaFreeAsync(p, 0);
    }
    cudaStreamSynchronize(0);
    for (int i = 0; i < 200; i++) {
      cudaMallocAsync(&p, MIB, 0);
      cudaFreeAsync(p, 0);
    }
    cudaStreamSynchronize(0);
  }
  return 0;
}
