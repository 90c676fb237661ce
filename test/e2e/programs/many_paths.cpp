// 65536 call paths to one allocation: their records take more than a small disk holds.
#include <cstdio>
#include <cuda_runtime.h>

template <int Depth> __attribute__((noinline)) void walk(unsigned path) {
  if (path & 1) walk<Depth - 1>(path >> 1);
  else walk<Depth - 1>(path >> 1);
}
template <> void walk<0>(unsigned) {
  char *p;
  cudaMalloc(reinterpret_cast<void **>(&p), 512);
  cudaFree(p);
}

int main() {
  for (unsigned path = 0; path < 1u << 16; path++) walk<16>(path);
  std::puts("done");
  return 9;
}
