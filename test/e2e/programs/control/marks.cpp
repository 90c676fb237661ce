// Marks of control.h, and what was allocated between two of them and is still there: against a
// count of its own. The first argument says which case.
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

struct Block {
  uint64_t bytes, step;
  uint32_t line, kind;
  int32_t device;
};
static std::map<uint64_t, Block> live; // by address
static uint64_t step;

static void add(void *p, uint64_t bytes, uint32_t line, uint32_t kind, int32_t device) {
  live[reinterpret_cast<uint64_t>(p)] = {bytes, step, line, kind, device};
}
// One line, that of the use.
#define WAY(number, call, kind, device)                                                            \
  if (draw % 5 == number) call, add(p, bytes, __LINE__, GPUMEMPROF_KIND_##kind, device)
static void allocate(uint64_t draw, uint64_t bytes) {
  void *p = nullptr;
  WAY(0, cudaMalloc(&p, bytes), DEVICE, 0);
  WAY(1, cudaMalloc(&p, bytes), DEVICE, 0);
  WAY(2, cudaMallocHost(&p, bytes), PINNED, -1);
  WAY(3, cudaMallocAsync(&p, bytes, nullptr), POOL, 0);
  WAY(4, cudaMallocManaged(&p, bytes), MANAGED, 0);
}
static void release(uint64_t address) {
  void *p = reinterpret_cast<void *>(address);
  uint32_t kind = live[address].kind;
  if (kind == GPUMEMPROF_KIND_PINNED) cudaFreeHost(p);
  else if (kind == GPUMEMPROF_KIND_POOL) cudaFreeAsync(p, nullptr);
  else cudaFree(p);
  live.erase(address);
}

// ---- any two marks, asked at any time
struct Seen {
  uint64_t from, to, blocks = 0, bytes = 0, wrong = 0;
  std::map<uint64_t, int> numbers;
};
static void visit(const gpumemprof_block *b, void *data) {
  Seen *seen = static_cast<Seen *>(data);
  auto at = live.find(b->address);
  bool right = at != live.end() && at->second.bytes == b->bytes && at->second.line == b->line &&
               at->second.kind == b->kind && at->second.device == b->device &&
               at->second.step >= seen->from && at->second.step < seen->to &&
               !std::strcmp(b->function, "allocate") && std::strstr(b->file, "marks.cpp") &&
               b->size == sizeof *b && !seen->numbers[b->block]++;
  seen->wrong += !right;
  seen->blocks++;
  seen->bytes += b->bytes;
}
static void walk() {
  std::vector<uint64_t> marks;
  uint64_t state = 7, questions = 0, blocks = 0, wrong = 0;
  for (step = 0; step < 60; step++) {
    marks.push_back(gpumemprof_mark(("step " + std::to_string(step)).c_str()));
    for (int i = 0; i < 40; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      if (state >> 62 == 3 && !live.empty())
        release(std::next(live.begin(), static_cast<std::ptrdiff_t>((state >> 20) % live.size()))
                    ->first);
      else allocate(state >> 33, 1 + (state >> 40) % 8192);
    }
    wrong += gpumemprof_mark(nullptr) != marks[step] + 40;
    for (uint64_t from = 0; from <= step; from += 7)
      for (uint64_t to = from; to <= step + 1; to += 5) {
        uint64_t end = to <= step ? marks[to] : GPUMEMPROF_NOW, expected_bytes = 0, expected = 0;
        for (auto &one : live)
          if (one.second.step >= from && one.second.step < to)
            expected++, expected_bytes += one.second.bytes;
        Seen seen{from, to};
        gpumemprof_remaining left = gpumemprof_leaks(marks[from], end, visit, &seen);
        gpumemprof_remaining sum = gpumemprof_leaks(marks[from], end, nullptr, nullptr);
        wrong += seen.wrong + (left.blocks != expected) + (left.bytes != expected_bytes) +
                 (seen.blocks != expected) + (seen.bytes != expected_bytes) +
                 (sum.blocks != expected) + (sum.bytes != expected_bytes);
        questions++, blocks += expected;
      }
  }
  gpumemprof_remaining none = gpumemprof_leaks(GPUMEMPROF_NOW, 0, visit, nullptr);
  std::printf("questions %lu, blocks %lu, wrong %lu, none %lu\n", questions, blocks, wrong,
              none.blocks + none.bytes);
}

// ---- while others allocate and free
static void threads() {
  std::atomic<bool> ends{false};
  std::vector<std::thread> pool;
  std::vector<void *> kept(300);
  uint64_t before = gpumemprof_mark("before"), wrong = 0, rounds = 0;
  for (void *&p : kept) cudaMalloc(&p, 1000);
  uint64_t after = gpumemprof_mark("after");
  for (int i = 0; i < 4; i++)
    pool.emplace_back([&] {
      while (!ends) {
        void *p[8];
        for (void *&one : p) cudaMalloc(&one, 700);
        gpumemprof_mark("round");
        for (void *one : p) cudaFree(one);
      }
    });
  for (; rounds < 300; rounds++) {
    gpumemprof_remaining left = gpumemprof_leaks(before, after, nullptr, nullptr);
    wrong += left.blocks != 300 || left.bytes != 300000;
    left = gpumemprof_leaks(after, GPUMEMPROF_NOW, nullptr, nullptr);
    wrong += left.bytes != 700 * left.blocks || left.blocks > 4 * 8;
  }
  ends = true;
  for (std::thread &one : pool) one.join();
  gpumemprof_remaining left = gpumemprof_leaks(after, GPUMEMPROF_NOW, nullptr, nullptr);
  std::printf("rounds %lu, wrong %lu, left %lu\n", rounds, wrong, left.blocks);
}

// ---- what is shown may be freed, and the program may fork
static void free_shown(const gpumemprof_block *b, void *data) {
  cudaFree(reinterpret_cast<void *>(b->address));
  void *other;
  cudaMalloc(&other, 10);
  ++*static_cast<int *>(data);
}
static void busy() {
  void *p;
  int shown = 0;
  uint64_t before = gpumemprof_mark("before");
  for (int i = 0; i < 2000; i++) cudaMalloc(&p, 100);
  gpumemprof_remaining left = gpumemprof_leaks(before, GPUMEMPROF_NOW, free_shown, &shown);
  gpumemprof_remaining now = gpumemprof_leaks(before, GPUMEMPROF_NOW, nullptr, nullptr);
  std::printf("left %lu, shown %d, then %lu blocks of %lu bytes\n", left.blocks, shown, now.blocks,
              now.bytes);
}
static void fork_once(const gpumemprof_block *, void *data) {
  pid_t *child = static_cast<pid_t *>(data);
  if (*child) return; // 1: nobody yet
  *child = fork();
  if (*child) waitpid(*child, nullptr, 0);
}
static void forked() {
  void *p;
  for (int i = 0; i < 5; i++) cudaMalloc(&p, 100);
  pid_t child = 0;
  gpumemprof_remaining left = gpumemprof_leaks(0, GPUMEMPROF_NOW, fork_once, &child);
  uint64_t mark = gpumemprof_mark("after the fork");
  cudaMalloc(&p, 1000);
  std::printf("%s: left %lu, then %lu\n", child ? "parent" : "child", left.blocks,
              gpumemprof_leaks(mark, GPUMEMPROF_NOW, nullptr, nullptr).blocks);
  std::fflush(stdout);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  if (!std::strcmp(mode, "walk")) walk();
  if (!std::strcmp(mode, "threads")) threads();
  if (!std::strcmp(mode, "busy")) busy();
  if (!std::strcmp(mode, "fork")) forked();
  return 0;
}
