// kokkos [MODE]: views that are allocated in regions and kernels of Kokkos, counted a second time
// and printed as JSON: {"label": [allocated, live, blocks, at peak], ...}. The label "" is none.
// "plain": the labels are those of a program to which no tool listens. "threads": several at once,
// which print no "at peak" (0).
#include "kokkos_client.h"

#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

struct Sum {
  unsigned long long allocated = 0, live = 0, blocks = 0, at_peak = 0;
};
struct View {
  void *data;
  std::string label, counted;
  size_t bytes;
};

static std::mutex turn;
static std::map<std::string, Sum> sums;
static unsigned long long total, peak;
static bool named = true, single = true;
static const std::vector<std::string> views = {
    "x", "rhs", "A/values", "\xc3\xa4 \xe2\x82\xac \"q\"", "", "long" + std::string(100, 'g')};

static void count(const std::string &label, size_t bytes) {
  Sum &s = sums[label];
  s.allocated += bytes, s.live += bytes, s.blocks++, total += bytes;
  if (total <= peak) return;
  peak = total;
  for (auto &[name, sum] : sums) sum.at_peak = sum.live;
}

struct Player {
  std::mt19937 random;
  std::vector<std::string> open;
  std::vector<View> mine;

  std::string within(const std::string &view) const {
    std::string all;
    for (const std::string &name : open) all += name + "/";
    return named ? all + (view.empty() ? "(unnamed)" : view) : "";
  }
  void allocate() {
    const std::string &label = views[random() % views.size()];
    size_t bytes = (1 + random() % 9) * 512 - kokkos::HEADER;
    View v = {nullptr, label, within(label), bytes};
    std::lock_guard<std::mutex> lock(turn);
    v.data = kokkos::allocate(label.c_str(), bytes, random() % 4 == 0);
    count(v.counted, bytes + kokkos::HEADER);
    mine.push_back(v);
  }
  void free() {
    if (mine.empty()) return;
    std::lock_guard<std::mutex> lock(turn);
    size_t i = random() % mine.size();
    View v = mine[i];
    kokkos::deallocate(v.label.c_str(), v.data, v.bytes);
    sums[v.counted].live -= v.bytes + kokkos::HEADER;
    total -= v.bytes + kokkos::HEADER;
    mine.erase(mine.begin() + (long)i);
  }
  void work(int depth) {
    for (unsigned i = 0; i < 4 + random() % 4; i++) {
      switch (random() % 8) {
      case 0:
        if (depth < 3) region(depth);
        break;
      case 1:
        if (depth < 3) kernel(depth);
        break;
      case 2:
      case 3:
        free();
        break;
      default:
        allocate();
      }
    }
  }
  void region(int depth) {
    std::string name = random() % 2 ? "step" : "solve: \xce\xbb";
    kokkos::push_region(name);
    open.push_back(name);
    work(depth + 1);
    open.pop_back();
    kokkos::pop_region();
  }
  void kernel(int depth) {
    static const char *const names[] = {"fill", "dot", "scan"};
    int kind = (int)(random() % 4);
    open.push_back(kind == 3 ? "deep_copy" : names[kind]);
    if (kind == 3) kokkos::deep_copy("x", "y", 8, [&] { work(depth + 1); });
    else kokkos::parallel(kind, names[kind], [&] { work(depth + 1); });
    open.pop_back();
  }
  void pop_too_often() { // in a kernel, and outside of everything
    kokkos::pop_region();
    kokkos::parallel(0, "fill", [&] {
      open.push_back("fill");
      kokkos::pop_region();
      allocate();
      open.pop_back();
    });
    kokkos::pop_region();
    allocate();
  }
  void play(int rounds) {
    for (int i = 0; i < rounds; i++) work(0);
    pop_too_often();
  }
};

static std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\\\"") : std::string(1, c);
  return out + "\"";
}

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  named = mode != "plain";
  single = mode != "threads";
  kokkos::initialize();
  if (single) Player{std::mt19937(7), {}, {}}.play(60);
  std::vector<std::thread> threads;
  for (unsigned i = 0; !single && i < 4; i++)
    threads.emplace_back([i] { Player{std::mt19937(i), {}, {}}.play(30); });
  for (std::thread &t : threads) t.join();
  kokkos::finalize();
  const char *comma = "{";
  for (const auto &[label, s] : sums) {
    std::printf("%s%s: [%llu, %llu, %llu, %llu]", comma, quoted(label).c_str(), s.allocated, s.live,
                s.blocks, single ? s.at_peak : 0);
    comma = ",\n";
  }
  std::printf("}\n");
  if (named && kokkos::settings.requires_global_fencing) {
    std::fprintf(stderr, "the tool wants Kokkos to wait at each of its calls\n");
    return 3;
  }
}
