// nvtx MODE: what is allocated under NVTX ranges of several domains and labels, which begin and end
// independently of each other; counted a second time and printed as JSON:
// {"label": [allocated, live, blocks], ...}. The label "" is none.
#include "nvtx_client.h"
#ifdef TOOLKIT
#include <nvtx3/nvtx3.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

struct Sum {
  unsigned long long allocated = 0, live = 0, blocks = 0;
};
struct Block {
  void *p;
  std::string label;
  size_t bytes;
};
struct Open { // a range or a label
  int owner;
  std::string text;
};

static std::mutex turn;
static std::map<std::string, Sum> sums;
static std::vector<Block> blocks;
static nvtxDomainHandle_t io, wide; // owners 2 and 3; 0 are labels, 1 is the default domain
static nvtxStringHandle_t read_string, wide_string;

#define EXPECT(condition)                                                                          \
  if (!(condition)) std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition), std::_Exit(4)

__attribute__((noinline)) static void *take(size_t bytes) {
  void *p = nullptr;
  EXPECT(!cudaMalloc(&p, bytes));
  return p;
}

static nvtxEventAttributes_t event(int type) {
  nvtxEventAttributes_t e;
  std::memset(&e, 0, sizeof e);
  e.version = NVTX_VERSION;
  e.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  e.messageType = type;
  return e;
}

struct Player {
  std::mt19937 random;
  std::vector<Open> open;

  std::string now() const {
    std::string all;
    for (const Open &o : open) all += (all.empty() ? "" : "/") + o.text;
    return all;
  }
  int level(int owner) const {
    int n = 0;
    for (const Open &o : open) n += o.owner == owner;
    return n;
  }
  void allocate() {
    std::lock_guard<std::mutex> lock(turn);
    size_t bytes = (1 + random() % 8) * 512;
    blocks.push_back({take(bytes), now(), bytes});
    Sum &s = sums[now()];
    s.allocated += bytes, s.live += bytes, s.blocks++;
  }
  void act() {
    if (random() % 3) return allocate();
    std::lock_guard<std::mutex> lock(turn);
    if (blocks.empty()) return;
    size_t i = random() % blocks.size();
    cudaFree(blocks[i].p);
    sums[blocks[i].label].live -= blocks[i].bytes;
    blocks.erase(blocks.begin() + (long)i);
  }
  __attribute__((noinline)) void begin(int owner) {
    int was = level(owner), got = -9;
    std::string text = "forward";
    bool other = random() % 2;
    nvtxEventAttributes_t e = event(NVTX_MESSAGE_TYPE_ASCII);
    e.message.ascii = "step";
    switch (owner) {
    case 0:
      text = "label", got = gpumemprof_label_push("label") - 1;
      break;
    case 1:
      if (other) got = nvtxRangePushA("forward");
      else text = "step", got = nvtxRangePushEx(&e);
      break;
    case 2:
      if (other) {
        e.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        e.message.registered = read_string;
      }
      text = other ? "io:read" : "io:step", got = nvtxDomainRangePushEx(io, &e);
      break;
    default:
      e.messageType = other ? NVTX_MESSAGE_TYPE_REGISTERED : NVTX_MESSAGE_TYPE_UNICODE;
      if (other) e.message.registered = wide_string;
      else e.message.unicode = L"\u20ac";
      text = other ? "\u00e4:gr\u00f6\u00dfe" : "\u00e4:\u20ac",
      got = nvtxDomainRangePushEx(wide, &e);
    }
    EXPECT(got == was);
    open.push_back({owner, text});
  }
  __attribute__((noinline)) void end(int owner) {
    int left = level(owner) - 1;
    int got = owner == 0   ? gpumemprof_label_pop()
              : owner == 1 ? nvtxRangePop()
                           : nvtxDomainRangePop(owner == 2 ? io : wide);
    EXPECT(got == left);
    for (size_t i = open.size(); i-- > 0;)
      if (open[i].owner == owner) {
        open.erase(open.begin() + (long)i);
        break;
      }
  }
  void play(int rounds) {
    for (int i = 0; i < rounds; i++) {
      unsigned what = random() % 8;
      int owner = (int)(random() % 4);
      if (what == 0 && open.size() < 4) begin(owner);
      else if (what == 1) end(owner); // also where it has none
      else act();
    }
    for (int owner = 0; owner < 4; owner++)
      while (level(owner)) end(owner);
  }
};

static void deep() { // of 80 the first 64 have names: every second is a label
  Player p{std::mt19937(1), {}};
  for (int i = 0; i < 40; i++) {
    EXPECT(gpumemprof_label_push("x") == i + 1 && nvtxRangePushA("n") == i);
    if (i < 32) p.open.push_back({1, "n"});
  }
  EXPECT(nvtxDomainRangePop(io) == -1);
  for (int i = 40; i-- > 0;) EXPECT(gpumemprof_label_pop() == i);
  p.allocate();
  EXPECT(gpumemprof_label_push("y") == 1);
  p.open.push_back({0, "y"});
  p.allocate();
  EXPECT(nvtxRangePushA("no name, as others without one are open") == 40 && nvtxRangePop() == 40);
  for (int i = 40; i-- > 0;) EXPECT(nvtxRangePop() == i);
  p.open = {{0, "y"}};
  p.allocate();
  EXPECT(gpumemprof_label_pop() == 0 && nvtxRangePop() == -1);
}

static void unusual_texts() {
  Player p{std::mt19937(2), {}};
  nvtxEventAttributes_t none = event(0);
  EXPECT(nvtxRangePushEx(&none) == 0 && nvtxRangePushA("") == 1 && nvtxRangePushA(nullptr) == 2);
  wchar_t no_characters[] = {0xd800, (wchar_t)0x7fffffff, 0x1f600, 0};
  EXPECT(nvtxRangePushW(no_characters) == 3);
  p.open = {{1, "(unnamed)/(unnamed)/(unnamed)/\ufffd\ufffd\U0001f600"}};
  p.allocate();
  for (int i = 4; i-- > 0;) EXPECT(nvtxRangePop() == i);
  nvtxRangeId_t a = nvtxRangeStartA("of no thread"), b = nvtxDomainRangeStartEx(io, &none);
  EXPECT(a && b && a != b);
  p.open.clear();
  p.allocate();
}

#ifdef TOOLKIT
struct Own {
  static constexpr const char *name{"own"};
};
static void by_nvtx3() {
  Player p{std::mt19937(3), {}};
  nvtx3::scoped_range outer{"outer"};
  p.open.push_back({1, "outer"});
  p.allocate();
  {
    nvtx3::scoped_range_in<Own> inner{nvtx3::event_attributes{L"inner", nvtx3::rgb{1, 2, 3}}};
    p.open.push_back({4, "own:inner"});
    p.allocate();
    p.open.pop_back();
  }
  nvtx3::unique_range process_wide{"process"};
  p.allocate();
}
#else
static void by_nvtx3() {}
#endif

static void many_domains() { // the program has three by now
  char last[16];
  for (int i = 0; i < 60; i++) {
    std::snprintf(last, sizeof last, "d%d", i);
    nvtxEventAttributes_t e = event(NVTX_MESSAGE_TYPE_ASCII);
    e.message.ascii = "r";
    nvtxDomainHandle_t d = nvtxDomainCreateA(last);
    int got = nvtxDomainRangePushEx(d, &e);
    EXPECT(d && (got == 0 || (i >= 59 && got == NVTX_NO_PUSH_POP_TRACKING)));
    EXPECT(nvtxDomainRangePop(d) == got);
  }
  nvtxDomainHandle_t d = nvtxDomainCreateA("one too many");
  EXPECT(d && nvtxDomainRangePop(d) == NVTX_NO_PUSH_POP_TRACKING);
}

static void print() {
  const char *comma = "{";
  for (const auto &[label, s] : sums) {
    std::printf("%s\"%s\": [%llu, %llu, %llu]", comma, label.c_str(), s.allocated, s.live,
                s.blocks);
    comma = ", ";
  }
  std::puts("}");
}

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "threads";
  io = nvtxDomainCreateA("io");
  wide = nvtxDomainCreateW(L"\u00e4");
  read_string = nvtxDomainRegisterStringA(io, "read");
  wide_string = nvtxDomainRegisterStringW(wide, L"gr\u00f6\u00dfe");
  if (mode == "nobody") { // hears: the calls are as without a tool
    EXPECT(!io && !wide && !read_string && !nvtxRangeStartA("start"));
    EXPECT(nvtxRangePushA("range") == NVTX_NO_PUSH_POP_TRACKING);
    Player{std::mt19937(1), {}}.allocate();
    EXPECT(nvtxRangePop() == NVTX_NO_PUSH_POP_TRACKING);
    return print(), 0;
  }
  EXPECT(io && wide && nvtxDomainRegisterStringA(io, "read") == read_string);
  if (mode == "forks") { // the child goes on with the ranges that were open
    Player p{std::mt19937(7), {}};
    for (int owner = 0; owner < 4; owner++) p.begin(owner);
    p.allocate();
    std::fflush(stdout);
    if (fork()) {
      int status = 1;
      EXPECT(wait(&status) > 0 && !status);
    } else {
      sums.clear(), blocks.clear(); // its capture is its own
      p.end(1), p.begin(2);
    }
    p.play(2000);
    return print(), 0;
  }
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < (mode == "threads" ? 3u : 0u); i++)
    threads.emplace_back([i] { Player{std::mt19937(i), {}}.play(6000); });
  for (std::thread &t : threads) t.join();
  Player{std::mt19937(9), {}}.play(8000);
  std::thread([] { nvtxRangePushA("left"); }).join(); // is not the next one's
  std::thread([] { Player{std::mt19937(5), {}}.allocate(); }).join();
  deep();
  unusual_texts();
  by_nvtx3();
  if (mode == "domains") many_domains();
  print();
}
