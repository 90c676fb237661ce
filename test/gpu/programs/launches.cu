// launches.cu - a loop of launches of an empty kernel with four pointers, for launches.py.
//
//   launches COUNT ROUNDS     prints the nanoseconds of a launch in the fastest round: until the
//                             device is done, and until the last launch returned
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void nothing(float *, float *, const float *, float *) {}

using Clock = std::chrono::steady_clock;

static double nanoseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::nano>(to - from).count();
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int count = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
  float *block[4];
  for (float *&b : block)
    if (cudaMalloc(reinterpret_cast<void **>(&b), 4096) != cudaSuccess) return 1;
  double done = 1e300, asked = 1e300;
  for (int round = 0; round < rounds; round++) {
    Clock::time_point begin = Clock::now();
    for (int i = 0; i < count; i++) nothing<<<1, 32>>>(block[0], block[1], block[2], block[3]);
    Clock::time_point last = Clock::now();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    done = std::min(done, nanoseconds(begin, Clock::now()) / count);
    asked = std::min(asked, nanoseconds(begin, last) / count);
  }
  for (float *b : block)
    if (cudaFree(b) != cudaSuccess) return 1;
  std::printf("%.1f %.1f\n", done, asked);
}
