// labels [short|single]: what three threads (short: a tenth of it; single: one thread) allocate
// under labels; counted a second time and printed as JSON:
// {"label": [allocated, live, blocks], ...}. The label "" is none.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.hpp>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

struct Sum {
  unsigned long long allocated = 0, live = 0, blocks = 0;
};
struct Block {
  void *p;
  std::string label;
  size_t bytes;
};

static std::mutex turn;
static std::map<std::string, Sum> sums;
static std::vector<Block> blocks;

struct Player {
  std::mt19937 random;
  std::vector<std::string> labels; // whole texts

  std::string now() const { return labels.empty() ? "" : labels.back(); }

  // One line for all labels, so that its frame has to learn which cell is meant.
  __attribute__((noinline)) void *take(size_t bytes) {
    void *p = nullptr;
    if (cudaMalloc(&p, bytes)) std::_Exit(3);
    return p;
  }
  void event() {
    std::lock_guard<std::mutex> lock(turn);
    if (random() % 3 || blocks.empty()) {
      size_t bytes = (1 + random() % 8) * 512;
      blocks.push_back({take(bytes), now(), bytes});
      Sum &s = sums[now()];
      s.allocated += bytes, s.live += bytes, s.blocks++;
    } else {
      size_t i = random() % blocks.size();
      cudaFree(blocks[i].p);
      sums[blocks[i].label].live -= blocks[i].bytes;
      blocks.erase(blocks.begin() + (long)i);
    }
  }
  __attribute__((noinline)) void begin(const char *text) { // ends elsewhere
    std::string outer = now();
    labels.push_back((outer.empty() ? "" : outer + "/") + (*text ? text : "(unnamed)"));
    char copy[64]; // the text is not the program's for long
    std::strcpy(copy, text);
    if (gpumemprof_label_push(copy) != (int)labels.size()) std::_Exit(4);
    std::memset(copy, '#', sizeof copy - 1);
  }
  __attribute__((noinline)) void end() {
    labels.pop_back();
    if (gpumemprof_label_pop() != (int)labels.size()) std::_Exit(5);
  }
  void play(int rounds) {
    static const char *const names[] = {"load", "forward", "backward", ""};
    for (int i = 0; i < rounds; i++) {
      unsigned what = random() % 8;
      if (what == 0 && labels.size() < 4) begin(names[random() % 4]);
      else if (what == 1 && !labels.empty()) end();
      else
        for (int n = 0; n < 5; n++) event(); // many of one line: they need no look-up
    }
    while (!labels.empty()) end();
    if (gpumemprof_label_pop() != -1) std::_Exit(6);
  }
};

int main(int argc, char **argv) {
  bool single = argc > 1 && !std::strcmp(argv[1], "single");
  int rounds = argc > 1 && !std::strcmp(argv[1], "short") ? 400 : 4000;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < (single ? 0u : 3u); i++)
    threads.emplace_back([i, rounds] { Player{std::mt19937(i), {}}.play(rounds); });
  for (std::thread &t : threads) t.join();
  if (single) Player{std::mt19937(9), {}}.play(rounds);
  { // what a thread leaves behind is not the next one's
    std::thread([] { gpumemprof_label_push("left"); }).join();
    std::thread([] { Player{std::mt19937(3), {}}.event(); }).join();
  }
  {
    GPUMEMPROF_LABEL("block");
    gpumemprof::label inner("inner");
    gpumemprof::snapshot s = gpumemprof::take_snapshot();
    if (!s.label || std::strcmp(s.label, "inner")) std::_Exit(7);
    void *p = nullptr;
    cudaMalloc(&p, 512);
    Sum &sum = sums["block/inner"];
    sum.allocated = sum.live = 512, sum.blocks = 1;
  }
  for (int i = 0; i < 100; i++) gpumemprof_label_push("deep"); // the first 64 have names
  for (int i = 99; i >= 0; i--)
    if (gpumemprof_label_pop() != i) std::_Exit(8);
  if (gpumemprof::take_snapshot().label) std::_Exit(9);
  const char *comma = "{";
  for (const auto &[label, s] : sums) {
    std::printf("%s\"%s\": [%llu, %llu, %llu]", comma, label.c_str(), s.allocated, s.live,
                s.blocks);
    comma = ", ";
  }
  std::puts("}");
}
