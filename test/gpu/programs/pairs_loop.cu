// The loops pairs.cu times: compiled twice, LOOP=first always without the plugin, LOOP=second with
// it in the profiled program. A user would write them so: a function per step, an error check.
#include <cstddef>
#include <cstdlib>
#include <cuda_runtime.h>

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

static void check(cudaError_t error) {
  if (error != cudaSuccess) std::abort();
}

void JOIN(LOOP, _async)(size_t bytes, int pairs, cudaStream_t stream) {
  for (int i = 0; i < pairs; i++) {
    void *p = nullptr;
    check(cudaMallocAsync(&p, bytes, stream));
    check(cudaFreeAsync(p, stream));
  }
}

void JOIN(LOOP, _sync)(size_t bytes, int pairs, cudaStream_t) {
  for (int i = 0; i < pairs; i++) {
    void *p = nullptr;
    check(cudaMalloc(&p, bytes));
    check(cudaFree(p));
  }
}
