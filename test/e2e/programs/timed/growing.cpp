// Threads that make new call paths and blocks as fast as they can, while the capture is read: first
// FAST paths without a pause, then in bursts (the reader has to get a processor as well) up to
// MOST, then along known ones.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

static std::atomic<unsigned> next_path;

template <int Depth> __attribute__((noinline)) void walk(unsigned path, char **held) {
  if (path & 1) walk<Depth - 1>(path >> 1, held);
  else walk<Depth - 1>(path >> 1, held);
}
template <> void walk<0>(unsigned path, char **held) {
  if (*held) cudaFree(*held);
  cudaMalloc(reinterpret_cast<void **>(held), 512 + path % 7 * 1024);
}

static void worker(unsigned fast, unsigned most) {
  char *held[64] = {};
  for (unsigned turn = 0;; turn++) {
    unsigned path = next_path < most ? next_path++ : turn % most;
    walk<20>(path, &held[turn % 64]);
    for (unsigned i = 0; i < 4; i++) walk<20>((turn * 7919 + i) % (path + 1), &held[i]);
    if (next_path > fast && turn % 4 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

int main(int, char **argv) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++)
    threads.emplace_back(worker, unsigned(std::atoi(argv[1])), unsigned(std::atoi(argv[2])));
  for (auto &thread : threads) thread.join();
}
