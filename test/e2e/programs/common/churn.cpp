// churn THREADS DEVICES SECONDS: threads allocate and free each other's blocks on several devices,
// through scopes of several depths. Counts for itself and prints what the report has to say; with
// SECONDS 0 it goes on until it is killed. Prints "ready" once every thread is at work.
#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

constexpr int SLOTS = 1024;
static std::atomic<void *> slots[SLOTS];
static std::atomic<bool> ends;
static std::atomic<int> at_work;

struct Counts {
  uint64_t allocated = 0, allocated_bytes = 0, freed = 0;
};

static void release(Counts &counts, void *block) {
  if (!block) return;
  counts.freed++;
  cudaFree(block);
}

static void *acquire(Counts &counts, size_t bytes) {
  void *block = nullptr;
  if (cudaMalloc(&block, bytes) != cudaSuccess) return nullptr;
  counts.allocated++;
  counts.allocated_bytes += bytes;
  return block;
}

static void nested(Counts &counts, uint32_t slot, size_t bytes, unsigned depth) {
  if (depth) return nested(counts, slot, bytes, depth - 1);
  void *temporary = acquire(counts, bytes / 2);
  void *old = slots[slot].exchange(acquire(counts, bytes));
  release(counts, old); // mostly another thread's
  release(counts, temporary);
}

static void work(Counts &counts, int number, int devices) {
  uint64_t state = static_cast<uint64_t>(number) * 7919 + 1;
  at_work++;
  while (!ends) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    cudaSetDevice(static_cast<int>(state >> 60) % devices);
    nested(counts, static_cast<uint32_t>(state >> 33) % SLOTS, 256 + (state >> 44) % 65536,
           static_cast<unsigned>(state >> 41) % 4);
  }
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 4, devices = argc > 2 ? std::atoi(argv[2]) : 1;
  double seconds = argc > 3 ? std::atof(argv[3]) : 1;
  std::vector<Counts> counts(static_cast<size_t>(threads));
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; i++)
    pool.emplace_back([&, i] { work(counts[static_cast<size_t>(i)], i, devices); });
  while (at_work < threads) std::this_thread::yield();
  std::puts("ready");
  std::fflush(stdout);
  do std::this_thread::sleep_for(std::chrono::duration<double>(seconds > 0 ? seconds : 1));
  while (seconds <= 0);
  ends = true;
  for (std::thread &thread : pool) thread.join();
  Counts sum;
  for (const Counts &c : counts) {
    sum.allocated += c.allocated;
    sum.allocated_bytes += c.allocated_bytes;
    sum.freed += c.freed;
  }
  uint64_t live = 0;
  for (auto &slot : slots) live += slot != nullptr;
  std::printf(
      "{\"allocated_blocks\": %lu, \"allocated\": %lu, \"freed_blocks\": %lu, \"live_blocks\": "
      "%lu}\n",
      sum.allocated, sum.allocated_bytes, sum.freed, live);
  return 0;
}
