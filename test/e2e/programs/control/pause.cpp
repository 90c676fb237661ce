// Recording that is paused from time to time. The first argument says which case.
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

constexpr size_t KIB = 1024;

static char *take(size_t bytes) {
  char *p = nullptr;
  cudaMalloc(&p, bytes);
  return p;
}

// ---- one after the other; the figures are in pause.py
static void steps() {
  char *before = take(100 * KIB), *gone = take(30 * KIB);
  int paused = gpumemprof_pause();
  char *during = take(200 * KIB);
  cudaFree(gone);
  take(7 * KIB); // stays
  take(1ull << 50);
  void *pinned;
  cudaMallocHost(&pinned, 3 * KIB);
  int resumed = gpumemprof_resume();
  char *after = take(50 * KIB);
  cudaFree(during);
  cudaFree(before);
  std::printf("paused %d resumed %d", paused, resumed);
  gpumemprof_pause(), gpumemprof_pause();
  gpumemprof_resume();
  cudaFree(after); // still paused
  gpumemprof_resume();
  cudaFreeHost(pinned);
  std::printf(" once more %d\n", gpumemprof_resume());
}

static void outer() {
  take(KIB);
  steps();
}

// ---- a free that fails, and recording is paused or goes on between the call and its failure
static void toggle(const gpumemprof_event *, void *data) {
  if (*static_cast<bool *>(data)) gpumemprof_resume();
  else gpumemprof_pause();
}
static void between() {
  bool paused = false;
  char *p = take(1000), *q = take(2000);
  gpumemprof_hooks hooks = {sizeof hooks, nullptr, toggle, nullptr, nullptr};
  int set = gpumemprof_hooks_add(&hooks, &paused);
  int first = cudaFree(p); // fails, and it is paused since
  paused = true;
  int second = cudaFree(q); // fails; it was paused before
  gpumemprof_hooks_remove(set);
  take(10);
  std::printf("%d %d\n", first != 0, second != 0);
}

// ---- an allocator of the program's own
static void pieces() {
  gpumemprof_pool *pool = gpumemprof_pool_create("arena");
  char *segment = take(4 * KIB);
  gpumemprof_pool_alloc(pool, segment, 100);
  gpumemprof_pause();
  gpumemprof_pool_free(pool, segment);
  gpumemprof_pool_alloc(pool, segment, 60);
  gpumemprof_resume();
  gpumemprof_pool_alloc(pool, segment + 512, 20);
}

// ---- threads, and one that pauses
struct Counts {
  std::atomic<uint64_t> allocated{0}, blocks{0}, freed{0};
};
static std::mutex lock;
static std::vector<std::pair<char *, size_t>> shared;

static void nested(Counts &counts, uint64_t state, unsigned depth) {
  if (depth) return nested(counts, state, depth - 1);
  size_t bytes = 1 + (state >> 40) % 4096;
  char *own = take(bytes);
  counts.allocated += bytes, counts.blocks++;
  std::pair<char *, size_t> old{nullptr, 0};
  {
    std::lock_guard<std::mutex> guard(lock);
    shared.push_back({own, bytes});
    if (shared.size() > 64) {
      old = shared[(state >> 20) % 64];
      shared[(state >> 20) % 64] = shared.back();
      shared.pop_back();
    }
  }
  if (old.first) cudaFree(old.first), counts.freed += old.second;
}
static void threads() {
  Counts counts;
  std::atomic<int> working{4};
  std::atomic<bool> began{false};
  std::vector<std::thread> pool;
  for (uint64_t n = 0; n < 4; n++)
    pool.emplace_back([&, n] {
      uint64_t state = n + 1;
      while (!began) std::this_thread::yield();
      for (int i = 0; i < 5000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        nested(counts, state, static_cast<unsigned>(state >> 61));
      }
      working--;
    });
  // Until some allocation began after the change: four may have been under way, and counted later.
  auto some_blocks = [&] {
    uint64_t before = counts.blocks;
    while (working && counts.blocks - before < 5) std::this_thread::yield();
  };
  gpumemprof_pause();
  began = true;
  while (working) {
    some_blocks();
    gpumemprof_resume();
    some_blocks();
    gpumemprof_pause();
  }
  gpumemprof_resume();
  for (std::thread &one : pool) one.join();
  std::printf("{\"allocated\": %lu, \"allocated_blocks\": %lu, \"freed\": %lu}\n",
              counts.allocated.load(), counts.blocks.load(), counts.freed.load());
}

static void forked() {
  gpumemprof_pause();
  take(1000);
  pid_t child = fork();
  take(child ? 1 : 2);
  gpumemprof_resume();
  take(child ? 10 : 20);
  if (child) waitpid(child, nullptr, 0);
}

// The rows of functions, as the report has them.
static void summary() {
  gpumemprof_summary_row rows[16];
  size_t count = gpumemprof_summary(GPUMEMPROF_BY_FUNCTION, rows, 16);
  for (size_t i = 0; i < count && i < 16; i++)
    std::printf("%s %lu %lu %lu\n", rows[i].name ? rows[i].name : "?", rows[i].allocated.bytes,
                rows[i].live.bytes, rows[i].inclusive_allocated.bytes);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  if (!std::strcmp(mode, "steps")) outer();
  if (!std::strcmp(mode, "between")) between();
  if (!std::strcmp(mode, "pieces")) pieces();
  if (!std::strcmp(mode, "threads")) threads();
  if (!std::strcmp(mode, "fork")) forked();
  if (!std::strcmp(mode, "summary")) outer(), summary();
  if (!std::strcmp(mode, "killed")) {
    outer();
    gpumemprof_pause();
    take(5 * KIB);
    std::raise(SIGKILL);
  }
  return 0;
}
