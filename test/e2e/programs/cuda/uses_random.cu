// uses_random.cu SEED - two thousand operations at five places in a random order, with blocks that
// often are those of the operation before, and allocations between. Prints the values of each.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#include "uses_kernels.h"

static float *block[4];

static unsigned long long value(const float *p) {
  return (unsigned long long)p;
}

int main(int, char **arguments) {
  unsigned state = atoi(arguments[1]);
  auto below = [&](unsigned n) { return ((state = state * 1103515245 + 12345) >> 16) * n >> 16; };
  for (float *&p : block) cudaMalloc(&p, 4096);
  for (int i = 0; i < 2000; i++) {
    float *a = block[below(2)], *b = block[2 + below(2)];
    switch (below(6)) {
    case 0:
      scale<<<1, 1>>>(a, 2, 1);
      printf("launched %llu\n", value(a));
      break;
    case 1:
      add<<<1, 1>>>(view{a, 1, {b, 0}}, b);
      printf("launched %llu %llu 0 %llu\n", value(a), value(b), value(b));
      break;
    case 2:
      move<float><<<1, 1>>>(b, a, 1);
      printf("launched %llu %llu\n", value(b), value(a));
      break;
    case 3:
      cudaMemcpy(a, b, 64, cudaMemcpyDeviceToDevice);
      printf("copied %llu 64 %llu 64\n", value(a), value(b));
      break;
    case 4:
      cudaMemset(b, 0, 32);
      printf("filled %llu 32\n", value(b));
      break;
    default:
      if (below(8)) break;
      cudaFree(block[3]);
      cudaMalloc(&block[3], 4096);
    }
  }
}
