// Times pairs of allocation and free: two copies of the same loops in one process, in turns, so
// that both see the same driver, clock and pool. In the plain program both copies are plain: its
// ratio says how far apart equal code reads. In the profiled program the second copy went through
// the plugin.
//
// Prints one line "pairs {...}": per case the median ns of a pair of each copy and second/first.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

typedef void loop(size_t bytes, int pairs, cudaStream_t stream);
loop first_async, second_async, first_sync, second_sync;

static const int rounds = 21;

static double time_ns(loop *f, size_t bytes, int pairs, cudaStream_t stream) {
  if (cudaDeviceSynchronize() != cudaSuccess) std::exit(3);
  auto start = std::chrono::steady_clock::now();
  f(bytes, pairs, stream);
  auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::nano>(end - start).count() / pairs;
}

static double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + (long)v.size() / 2, v.end());
  return v[v.size() / 2];
}

static void measure(const char *name, loop *first, loop *second, size_t bytes, int pairs,
                    cudaStream_t stream, const char *comma) {
  std::vector<double> a, b, ratios;
  for (int i = -3; i < rounds; i++) { // the first three warm up
    double x, y;
    if (i & 1) {
      x = time_ns(first, bytes, pairs, stream);
      y = time_ns(second, bytes, pairs, stream);
    } else {
      y = time_ns(second, bytes, pairs, stream);
      x = time_ns(first, bytes, pairs, stream);
    }
    if (i < 0) continue;
    a.push_back(x);
    b.push_back(y);
    ratios.push_back(y / x);
  }
  std::printf(
      "%s\"%s\":{\"bytes\":%zu,\"pairs\":%d,\"rounds\":%d,\"first_ns\":%.1f,\"second_ns\":%.1f,"
      "\"ratio\":%.4f,\"median_ratio\":%.4f}",
      comma, name, bytes, pairs, rounds, median(a), median(b), median(b) / median(a),
      median(ratios));
}

int main(int argc, char **argv) {
  const int scale = argc > 1 ? std::atoi(argv[1]) : 100; // percent of the pairs per round
  cudaStream_t stream;
  cudaMemPool_t pool;
  unsigned long long keep = ~0ull; // the pool keeps its memory: the steady state of a real program
  void *block = nullptr;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) ||
      cudaDeviceGetDefaultMemPool(&pool, 0) ||
      cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep) ||
      cudaMalloc(&block, 4096)) // keeps the small blocks' page
    return 3;
  std::printf("pairs {");
  measure("async_1MiB", first_async, second_async, 1 << 20, 100 * scale, stream, "");
  measure("async_256B", first_async, second_async, 256, 100 * scale, stream, ",");
  measure("sync_4KiB", first_sync, second_sync, 4096, 20 * scale, stream, ",");
  measure("sync_2MiB", first_sync, second_sync, 2 << 20, 2 * scale, stream, ",");
  std::printf("}\n");
  return cudaFree(block) == cudaSuccess ? 0 : 3;
}
