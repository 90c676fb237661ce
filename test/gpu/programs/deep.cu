// Times pairs of allocation and free below a number of functions, and prints nanoseconds for each:
// what machine stacks cost.
//
//   deep [DEPTH [PAIRS]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__attribute__((noinline)) static void pair() {
  void *p = nullptr;
  if (cudaMallocAsync(&p, 256, 0) || cudaFreeAsync(p, 0)) std::exit(3);
}

__attribute__((noinline)) static double below(int depth, int pairs) {
  if (depth > 0) return below(depth - 1, pairs) + 0.001;
  for (int i = 0; i < 100; i++) pair();
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < pairs; i++) pair();
  auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::nano>(end - start).count() / pairs;
}

int main(int argc, char **argv) {
  int depth = argc > 1 ? std::atoi(argv[1]) : 20, pairs = argc > 2 ? std::atoi(argv[2]) : 20000;
  double best = 1e30;
  for (int i = 0; i < 7; i++) {
    double ns = below(depth, pairs);
    if (ns < best) best = ns;
  }
  std::printf("deep %d %.0f\n", depth, best);
  return 0;
}
