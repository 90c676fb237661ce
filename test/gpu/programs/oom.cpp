// oom.cpp - a device that is really out of memory: prints as JSON what the program holds and what
// CUDA says, which oom.py holds against `gpumemprof oom`. GiB, so that a large device fills in a
// few calls.
#include <cstdio>
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

constexpr size_t GIB = size_t{1} << 30;
static size_t free_in_hook; // in the hook, before the call that fails

static void *hold(size_t bytes) {
  void *p = nullptr;
  cudaMalloc(&p, bytes); // HOLD
  return p;
}
static void *cache(size_t bytes) {
  void *p = nullptr;
  cudaMalloc(&p, bytes); // CACHE
  return p;
}

static void measure(const gpumemprof_event *e, void *data) {
  size_t total;
  if (e->requested == *static_cast<size_t *>(data)) cudaMemGetInfo(&free_in_hook, &total);
}

int main() {
  size_t bytes_free, total, wanted = 0;
  cudaMemGetInfo(&bytes_free, &total);
  const size_t most = bytes_free - 30 * GIB;
  void *a = hold(20 * GIB), *b = cache(most);
  gpumemprof_hooks hooks = {};
  hooks.size = sizeof hooks;
  hooks.allocation_requested = measure;
  gpumemprof_hooks_add(&hooks, &wanted);
  cudaMemGetInfo(&bytes_free, &total);
  wanted = bytes_free + 4 * GIB;
  void *p = nullptr;
  cudaError_t result = cudaMalloc(&p, wanted); // WANTED
  cudaError_t peeked = cudaPeekAtLastError(), last = cudaGetLastError(), then = cudaGetLastError();
  void *small = nullptr;
  cudaError_t after = cudaMalloc(&small, 1 << 20);
  std::printf("{\"free\": %zu, \"total\": %zu, \"wanted\": %zu, \"hook\": %zu, \"hold\": %zu, "
              "\"cache\": %zu, \"errors\": [%d, %d, %d, %d, "
              "%d]}\n",
              bytes_free, total, wanted, free_in_hook, 20 * GIB, most, result, peeked, last, then,
              after);
  return !a || !b;
}
