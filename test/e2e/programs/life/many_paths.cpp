// 65536 call paths to one allocation: their records take more than a small disk holds. As many bits
// of them as named, with as many file descriptors.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <sys/resource.h>

template <int Depth> __attribute__((noinline)) void walk(unsigned path) {
  if (path & 1) walk<Depth - 1>(path >> 1);
  else walk<Depth - 1>(path >> 1);
}
template <> void walk<0>(unsigned) {
  char *p;
  cudaMalloc(reinterpret_cast<void **>(&p), 512);
  cudaFree(p);
}

int main(int argc, char **argv) {
  unsigned bits = argc > 1 ? unsigned(std::atoi(argv[1])) : 16;
  if (argc > 2) {
    rlimit limit = {rlim_t(std::atoi(argv[2])), rlim_t(std::atoi(argv[2]))};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  for (unsigned path = 0; path < 1u << bits; path++) walk<16>(path);
  std::puts("done");
  return 9;
}
