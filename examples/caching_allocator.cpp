// caching_allocator.cpp - an allocator that keeps what is given back, as cub's does, and what the
// profiler shows of it: `gpumemprof pools` what it reserved and used, `report --kind custom` which
// lines took the pieces. One attribute on each of its two functions is all it takes.
#include <cuda_runtime.h>

#include <cstdio>
#include <map>

#include "gpumemprof/gpumemprof.h"

constexpr size_t MIB = static_cast<size_t>(1) << 20;

class CachingAllocator {
  std::multimap<size_t, void *> kept; // by size
  std::map<void *, size_t> used;

public:
  ~CachingAllocator() {
    for (auto &[size, p] : kept) cudaFree(p);
  }

  // Sizes are rounded to a bin, so that what is kept fits more often.
  static size_t bin(size_t bytes) {
    size_t size = MIB;
    while (size < bytes) size *= 2;
    return size;
  }

  cudaError_t allocate(void **p, size_t bytes) GPUMEMPROF_ALLOCATES(2) {
    size_t size = bin(bytes);
    auto found = kept.find(size);
    if (found != kept.end()) {
      *p = found->second;
      kept.erase(found);
    } else if (cudaError_t error = cudaMalloc(p, size); error != cudaSuccess) {
      return error;
    }
    used[*p] = size;
    return cudaSuccess;
  }

  cudaError_t release(void *p) GPUMEMPROF_FREES(1) {
    auto found = used.find(p);
    if (found == used.end()) return cudaErrorInvalidValue;
    kept.emplace(found->second, p);
    used.erase(found);
    return cudaSuccess;
  }
};

static CachingAllocator allocator;

static void step(int i) {
  float *activation, *scratch;
  allocator.allocate(reinterpret_cast<void **>(&activation), 5 * MIB);
  allocator.allocate(reinterpret_cast<void **>(&scratch), static_cast<size_t>(1 + i % 3) * MIB);
  allocator.release(scratch);
  allocator.release(activation);
}

int main() {
  void *weights;
  if (allocator.allocate(&weights, 24 * MIB) != cudaSuccess) {
    std::fprintf(stderr, "caching_allocator: out of GPU memory\n");
    return 1;
  }
  for (int i = 0; i < 12; i++) step(i);
  allocator.release(weights);
  return 0;
}
