// summary_random SEED THREADS: random calls of functions that recurse, throw, label, fail and free
// each other's memory, while with several threads another one asks what is live, then all rows of
// gpumemprof_summary as JSON: {"function": [{...}, ...], ...}.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.hpp>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace {

std::mutex turn;
struct Block {
  void *p;
  bool pinned;
  uint64_t bytes;
};
std::vector<Block> blocks;
uint64_t live;
thread_local std::mt19937 generator;

unsigned pick(unsigned n) {
  return generator() % n;
}

void keep(const Block &b) {
  blocks.push_back(b);
  live += b.bytes;
}

__attribute__((noinline)) void take(size_t bytes) {
  std::lock_guard<std::mutex> lock(turn);
  void *p = nullptr;
  size_t pitch, width = 100 + bytes % 999;
  switch (pick(8)) {
  case 0:
    if (!cudaMallocHost(&p, bytes)) keep({p, true, bytes});
    break;
  case 1:
    if (!cudaMallocManaged(&p, bytes)) keep({p, false, bytes});
    break;
  case 2:
    if (!cudaMallocPitch(&p, &pitch, width, 3)) keep({p, false, pitch * 3});
    break;
  case 3:
    if (!cudaMalloc(&p, (size_t)1 << 44)) std::_Exit(3); // out of memory
    cudaGetLastError();
    break;
  default:
    if (!cudaMalloc(&p, bytes)) keep({p, false, bytes});
  }
}

__attribute__((noinline)) void give() {
  std::lock_guard<std::mutex> lock(turn);
  if (blocks.empty()) return;
  size_t i = pick((unsigned)blocks.size());
  Block b = blocks[i];
  blocks[i] = blocks.back();
  blocks.pop_back();
  live -= b.bytes;
  if (b.pinned ? cudaFreeHost(b.p) : cudaFree(b.p)) std::_Exit(4);
}

void walk(int depth);

__attribute__((noinline)) void temporary() {
  void *p = nullptr;
  std::lock_guard<std::mutex> lock(turn);
  if (!cudaMalloc(&p, 512 * (1 + pick(9)))) cudaFree(p);
}
__attribute__((noinline)) GPUMEMPROF_PROFILE void profiled(int depth) {
  if (pick(2)) walk(depth + 1);
}
__attribute__((noinline)) void throws(int depth) {
  take(4096);
  walk(depth + 1);
  throw depth;
}
__attribute__((noinline)) void block(int depth) {
  GPUMEMPROF_SCOPE("inner");
  take(2048);
  walk(depth + 1);
}
__attribute__((noinline)) void labelled(int depth) {
  gpumemprof::label one(pick(2) ? "forward" : "backward");
  take(1024);
  walk(depth + 1);
}
__attribute__((noinline)) void walk(int depth) {
  for (unsigned n = pick(4); n-- > 0;) {
    if (depth > 14) return;
    switch (pick(8)) {
    case 0:
      temporary();
      break;
    case 1:
      profiled(depth);
      break;
    case 2:
      try {
        throws(depth);
      } catch (int) {
      }
      break;
    case 3:
      block(depth);
      break;
    case 4:
      labelled(depth);
      break;
    case 5:
      give();
      give();
      break;
    default:
      take(512 * (1 + pick(30)));
    }
  }
}

void play(unsigned seed) {
  generator.seed(seed);
  for (int i = 0; i < 400; i++) walk(0);
}

std::atomic<bool> done;

// Asks while others play: with nobody's turn the sum is known, else the rows still make sense.
void watch() {
  std::vector<gpumemprof::summary_row> rows(4096);
  for (unsigned round = 0; !done; round++) {
    std::unique_lock<std::mutex> lock(turn, std::defer_lock);
    if (round % 2) lock.lock();
    uint64_t sum = 0, blocks_live = 0;
    for (const gpumemprof::summary_row &r : gpumemprof::summarize(
             round % 4 < 2 ? GPUMEMPROF_BY_LINE : GPUMEMPROF_BY_FUNCTION, std::span(rows))) {
      if (r.live.bytes != r.allocated.bytes - r.freed.bytes) std::_Exit(10);
      if (r.live.blocks > r.allocated.blocks || r.live.bytes > r.inclusive_live.bytes)
        std::_Exit(11);
      sum += r.live.bytes;
      blocks_live += r.live.blocks;
    }
    if (lock && gpumemprof_enabled() && (sum != live || blocks_live != blocks.size()))
      std::_Exit(12);
  }
}

void print_text(const char *key, const char *text) {
  if (text) std::printf("\"%s\": \"%s\", ", key, text);
  else std::printf("\"%s\": null, ", key);
}

void print_rows(const char *name, gpumemprof::by by) {
  size_t count = gpumemprof::summarize(by, nullptr, 0);
  std::vector<gpumemprof::summary_row> rows(count + 3);
  std::memset(rows.data(), '#', rows.size() * sizeof rows[0]);
  if (gpumemprof::summarize(by, std::span(rows)).size() != count) std::_Exit(5);
  if (*(char *)&rows[count] != '#') std::_Exit(6);
  std::vector<gpumemprof::summary_row> few(count / 2);
  if (gpumemprof::summarize(by, few.data(), few.size()) != count) std::_Exit(7);
  for (size_t i = 0; i < few.size(); i++) // wall time may go on
    if (few[i].name != rows[i].name || few[i].live.bytes != rows[i].live.bytes) std::_Exit(8);
  std::printf("\"%s\": [", name);
  for (size_t i = 0; i < count; i++) {
    const gpumemprof::summary_row &r = rows[i];
    std::printf("%s\n{", i ? "," : "");
    print_text("name", r.name);
    print_text("block", r.block);
    print_text("file", r.file);
#define FIGURE(key, value) std::printf("\"%s\": %llu, ", key, (unsigned long long)(value))
    FIGURE("line", r.line);
    std::printf("\"device\": %d, ", r.device);
    FIGURE("self_alloc", r.allocated.bytes);
    FIGURE("blocks", r.allocated.blocks);
    FIGURE("freed", r.freed.bytes);
    FIGURE("freed_blocks", r.freed.blocks);
    FIGURE("leaked", r.live.bytes);
    FIGURE("leaked_blocks", r.live.blocks);
    FIGURE("self_freed", r.freed_here.bytes);
    FIGURE("incl_alloc", r.inclusive_allocated.bytes);
    FIGURE("escaped", r.inclusive_live.bytes);
    FIGURE("incl_freed", r.inclusive_freed_here.bytes);
    FIGURE("self_requested", r.requested);
    FIGURE("self_at_peak", r.at_peak);
    FIGURE("at_peak", r.inclusive_at_peak);
    FIGURE("live_peak", r.live_peak);
    FIGURE("temporary_blocks", r.temporary_blocks);
    FIGURE("calls", r.calls);
    FIGURE("own_peak_max", r.own_peak_max);
    FIGURE("own_peak_mean", r.own_peak_count ? r.own_peak_sum / r.own_peak_count : 0);
    FIGURE("device_peak", r.device_peak);
    FIGURE("wall_ns", r.wall_ns);
    FIGURE("failed_bytes", r.failed_bytes);
    FIGURE("oom_calls", r.oom_calls);
    std::printf("\"failed_calls\": %llu}", (unsigned long long)r.failed_calls);
  }
  std::printf("]");
}

} // namespace

int main(int argc, char **argv) {
  unsigned seed = argc > 1 ? (unsigned)std::atoi(argv[1]) : 1;
  int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  if (threads == 1) play(seed);
  else {
    std::vector<std::thread> all;
    for (int i = 0; i < threads; i++) all.emplace_back(play, seed * 16 + (unsigned)i);
    std::thread watcher(watch);
    for (std::thread &t : all) t.join();
    done = true;
    watcher.join();
  }
  take(512);
  std::printf("{");
  print_rows("line", GPUMEMPROF_BY_LINE);
  std::printf(", ");
  print_rows("function", GPUMEMPROF_BY_FUNCTION);
  std::printf(", ");
  print_rows("label", GPUMEMPROF_BY_LABEL);
  std::printf(", ");
  print_rows("device", GPUMEMPROF_BY_DEVICE);
  std::printf("}\n");
  return gpumemprof_summary((gpumemprof_summary_by)9, nullptr, 0) ? 9 : 0;
}
