/* streams.cpp - memory for several streams, of one line each turn another, alone and in threads;
 * printed as JSON: what each stream was given and what of it is live. argv: [threads] */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

struct Sums {
  size_t allocated = 0, live = 0, blocks = 0;
};
static std::map<cudaStream_t, Sums> sums; /* null: the default stream */
static std::mutex sums_lock;

static void *take(size_t bytes, cudaStream_t stream) {
  void *p = nullptr;
  if (cudaMallocAsync(&p, bytes, stream)) exit(1);
  std::lock_guard<std::mutex> guard(sums_lock);
  Sums &s = sums[stream];
  s.allocated += bytes;
  s.live += bytes;
  s.blocks++;
  return p;
}

static void give(void *p, size_t bytes, cudaStream_t owner, cudaStream_t stream) {
  cudaFreeAsync(p, stream);
  std::lock_guard<std::mutex> guard(sums_lock);
  sums[owner].live -= bytes;
}

static void work(const std::vector<cudaStream_t> &streams, unsigned state, int turns) {
  for (int i = 0; i < turns; i++) {
    state = state * 1103515245 + 12345;
    size_t bytes = 1024 + (state >> 16) % 7 * 512;
    cudaStream_t stream = streams[(state >> 8) % streams.size()];
    for (int k = 0; k < 3; k++) { /* some once more for the same, which the quick path makes */
      void *p = take(bytes, stream);
      if ((state >> 20) % 16) give(p, bytes, stream, streams[(unsigned)i % streams.size()]);
    }
  }
}

int main(int argc, char **argv) {
  std::vector<cudaStream_t> streams(5);
  for (size_t i = 1; i < streams.size(); i++)
    if (cudaStreamCreate(&streams[i])) return 1;
  void *plain = nullptr; /* of no stream */
  if (cudaMalloc(&plain, 4096)) return 1;
  work(streams, 1, 400);
  std::vector<std::thread> threads;
  for (int i = 1; i < argc ? i <= atoi(argv[1]) : false; i++)
    threads.emplace_back([&streams, i] { work(streams, (unsigned)i * 77, 300); });
  for (std::thread &t : threads) t.join();
  const char *comma = "{";
  for (const auto &[stream, s] : sums) {
    printf("%s\"%llu\": [%zu, %zu, %zu]", comma, stream ? (unsigned long long)(size_t)stream : 1ull,
           s.allocated, s.live, s.blocks);
    comma = ", ";
  }
  printf("}\n");
  return 0;
}
