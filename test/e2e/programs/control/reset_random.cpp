// reset_random SEED THREADS: random allocations and frees, with scopes that are measured across
// gpumemprof_reset, which any thread calls. A second count that begins each time with the live
// blocks compares device and line figures in the program, and prints what the capture should say.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.hpp>
#include <mutex>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

struct Block {
  void *p;
  uint64_t bytes, padding;
};
struct Sums { // since the latest reset
  uint64_t allocated, blocks, freed, freed_blocks, peak, padding, failed, failed_frees;
};

std::mutex turn;
std::vector<Block> live;
uint64_t total, resets;
Sums now;

void same(const char *what, uint64_t is, uint64_t should) {
  if (is == should) return;
  std::fprintf(stderr, "%s is %llu, not %llu (after %llu resets)\n", what, (unsigned long long)is,
               (unsigned long long)should, (unsigned long long)resets);
  std::_Exit(1);
}

struct Player {
  std::mt19937 random;
  uint64_t allocated = 0, freed = 0; // of this thread: a measured scope counts them
  int64_t net = 0, peak = 0;
  unsigned pick(unsigned n) { return random() % n; }

  __attribute__((noinline)) void take() {
    Block b = {};
    size_t width = 100 + pick(5000), pitch = 0;
    if (pick(20) == 0) {
      if (!cudaMalloc(&b.p, (size_t)1 << 44)) std::_Exit(3);
      cudaGetLastError();
      now.failed++;
      return;
    }
    if (pick(3)) {
      b.bytes = 512 * (1 + pick(50));
      if (cudaMalloc(&b.p, b.bytes)) std::_Exit(3);
    } else {
      if (cudaMallocPitch(&b.p, &pitch, width, 3)) std::_Exit(3);
      b.bytes = 3 * pitch;
      b.padding = b.bytes - 3 * width;
    }
    live.push_back(b);
    total += b.bytes;
    now.allocated += b.bytes;
    now.padding += b.padding;
    now.blocks++;
    if (total > now.peak) now.peak = total;
    allocated += b.bytes;
    net += (int64_t)b.bytes;
    if (net > peak) peak = net;
  }
  __attribute__((noinline)) void give() {
    if (live.empty()) return;
    if (pick(16) == 0) {
      cudaFree((void *)(uintptr_t)0x1230); // fails
      cudaGetLastError();
      now.failed_frees++;
      return;
    }
    size_t i = pick((unsigned)live.size());
    Block b = live[i];
    live[i] = live.back();
    live.pop_back();
    if (cudaFree(b.p)) std::_Exit(4);
    total -= b.bytes;
    now.freed += b.bytes;
    now.freed_blocks++;
    freed += b.bytes;
    net -= (int64_t)b.bytes;
  }

  void compare() {
    gpumemprof::summary_row rows[16];
    gpumemprof::snapshot s = gpumemprof::take_snapshot(0);
    same("peak of a snapshot", s.peak, now.peak);
    same("acquired", s.acquired, total);
    size_t count = gpumemprof::summarize(GPUMEMPROF_BY_DEVICE, rows, 16);
    for (size_t i = 0; i < count; i++) {
      if (rows[i].device) continue;
      same("allocated", rows[i].allocated.bytes, now.allocated);
      same("allocated blocks", rows[i].allocated.blocks, now.blocks);
      same("freed", rows[i].freed.bytes, now.freed);
      same("freed blocks", rows[i].freed.blocks, now.freed_blocks);
      same("live", rows[i].live.bytes, total);
      same("live blocks", rows[i].live.blocks, live.size());
      same("requested", rows[i].requested, now.allocated - now.padding);
      same("peak", rows[i].live_peak, now.peak);
      same("at peak", rows[i].at_peak, now.peak);
    }
  }
  void reset() {
    compare();
    if (!gpumemprof_reset()) std::_Exit(5);
    resets++;
    now = {};
    now.allocated = now.peak = total;
    now.blocks = live.size();
    for (const Block &b : live) now.padding += b.padding;
    compare();
  }

  // A scope that is measured across what others do, resets too: its thread's own events count.
  __attribute__((noinline)) void measured() {
    Player before = *this;
    uint64_t scope = gpumemprof_scope_begin("measured");
    allocated = freed = 0;
    net = peak = 0;
    for (int i = 0; i < 60; i++) event();
    gpumemprof_result r;
    std::lock_guard<std::mutex> lock(turn);
    if (!gpumemprof_scope_end(scope, &r)) std::_Exit(6);
    same("measured allocated", r.allocated, allocated);
    same("measured freed", r.freed, freed);
    same("measured net", (uint64_t)r.net, (uint64_t)net);
    same("measured own peak", r.own_peak, (uint64_t)peak);
    allocated = before.allocated;
    freed = before.freed;
    net = before.net;
    peak = before.peak;
  }
  void event() {
    std::lock_guard<std::mutex> lock(turn);
    unsigned what = pick(100);
    if (what == 0 && pick(4) == 0) reset();
    else if (what < 50) take();
    else give();
  }
  void play() {
    for (int i = 0; i < 200; i++) {
      if (pick(3) == 0) measured();
      else
        for (int n = 0; n < 40; n++) event();
    }
  }
};

} // namespace

int main(int argc, char **argv) {
  unsigned seed = argc > 1 ? (unsigned)std::atoi(argv[1]) : 1;
  int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  if (threads == 1) Player{std::mt19937(seed)}.play();
  else {
    std::vector<std::thread> all;
    for (int i = 0; i < threads; i++)
      all.emplace_back([=] { Player{std::mt19937(seed * 16 + (unsigned)i)}.play(); });
    for (std::thread &t : all) t.join();
  }
  Player last{std::mt19937(seed)};
  last.reset();
  if (argc > 3) { // a child's capture begins at its first event
    pid_t child = fork();
    if (!child) {
      last.take();
      std::exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  for (int i = 0; i < 300; i++) last.event();
  std::printf("{\"allocated\": %llu, \"blocks\": %llu, \"freed\": %llu, \"live\": %llu, \"peak\": "
              "%llu, \"requested\": %llu, \"failed\": %llu, \"failed_frees\": %llu, \"resets\": "
              "%llu}\n",
              (unsigned long long)now.allocated, (unsigned long long)now.blocks,
              (unsigned long long)now.freed, (unsigned long long)total,
              (unsigned long long)now.peak, (unsigned long long)(now.allocated - now.padding),
              (unsigned long long)now.failed, (unsigned long long)now.failed_frees,
              (unsigned long long)resets);
  return 0;
}
