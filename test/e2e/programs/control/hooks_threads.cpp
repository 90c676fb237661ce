// Threads allocate and free while one of them adds and removes sets of hooks: a set is called for
// every event of its time, and never after its removal returned. Prints what was counted.
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

struct Counts {
  std::atomic<uint64_t> allocated{0}, bytes{0}, freed{0}, own{0};
};
struct Watched {
  std::atomic<bool> gone{false}; // its set is removed
};

static std::atomic<uint64_t> after_removal, inside_out;
static thread_local bool inside;

static void count_allocated(const gpumemprof_event *event, void *data) {
  Counts *counts = static_cast<Counts *>(data);
  if (inside) inside_out++; // a hook of a hook
  inside = true;
  counts->allocated++;
  counts->bytes += event->acquired;
  if (event->clock % 8 == 0) { // what a hook does is recorded, and reported to none
    void *own = nullptr;
    if (cudaMalloc(&own, 100) == cudaSuccess) counts->own++;
    cudaFree(own);
  }
  inside = false;
}

static void count_freed(const gpumemprof_event *, void *data) {
  static_cast<Counts *>(data)->freed++;
}

static void watch(const gpumemprof_event *, void *data) {
  Watched *watched = static_cast<Watched *>(data);
  std::this_thread::yield(); // a thread that removes the set has to wait for this
  if (watched->gone) after_removal++;
}

static void work(int rounds) {
  for (int i = 0; i < rounds; i++) {
    void *blocks[4];
    for (void *&block : blocks) cudaMalloc(&block, 512 + 16 * static_cast<size_t>(i % 7));
    for (void *block : blocks) cudaFree(block);
  }
}

int main(int, char **argv) {
  int threads = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
  Counts counts;
  void *first;
  cudaMalloc(&first, 1000); // alone
  gpumemprof_hooks hooks = {sizeof hooks, count_allocated, count_freed, nullptr, nullptr};
  int set = gpumemprof_hooks_add(&hooks, &counts);
  std::atomic<bool> ends{false};
  uint64_t removed = 0;
  std::vector<std::unique_ptr<Watched>> all; // what was removed is looked at again
  std::thread changes([&] {
    gpumemprof_hooks short_lived = {sizeof short_lived, watch, watch, nullptr, nullptr};
    while (!ends) {
      all.push_back(std::make_unique<Watched>());
      int handle = gpumemprof_hooks_add(&short_lived, all.back().get());
      std::this_thread::yield();
      if (gpumemprof_hooks_remove(handle) == 0) removed++;
      all.back()->gone = true;
    }
  });
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; i++) pool.emplace_back(work, rounds);
  for (std::thread &thread : pool) thread.join();
  ends = true;
  changes.join();
  gpumemprof_hooks_remove(set);
  cudaFree(first); // is not reported any more
  std::printf("{\"set\": %d, \"allocated\": %lu, \"bytes\": %lu, \"freed\": %lu, \"own\": %lu, "
              "\"removed\": %d, \"after_removal\": %lu, \"inside_out\": %lu}\n",
              set > 0, counts.allocated.load(), counts.bytes.load(), counts.freed.load(),
              counts.own.load(), removed > 0, after_removal.load(), inside_out.load());
  return 0;
}
