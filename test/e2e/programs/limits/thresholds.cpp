// Thresholds of control.h. Counts by itself what has to be reported, and prints both; the first
// argument says which case.
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

constexpr uint64_t KIB = 1024, MIB = 1024 * KIB;

static void say(const gpumemprof_crossing *c, void *data) {
  const char *file = std::strrchr(c->file, '/');
  std::printf("%s%s device=%d total=%lu limit=%lu bytes=%lu block=%lu clock=%lu at=%s:%u %s%s\n",
              static_cast<const char *>(data), c->level == GPUMEMPROF_WARN ? "warn" : "critical",
              c->device, c->total, c->limit, c->bytes, c->block, c->clock,
              file ? file + 1 : c->file, c->line, c->function,
              c->size == sizeof *c ? "" : " of a wrong size");
}

static gpumemprof_threshold limits(int device, uint64_t warn, uint64_t critical,
                                   const char *who = "") {
  return {sizeof(gpumemprof_threshold), device, warn, critical, 0, 0, say, const_cast<char *>(who)};
}

static char *take(uint64_t bytes) {
  char *p = nullptr;
  cudaMalloc(&p, bytes);
  return p;
}

// ---- a random walk, and the rule by which it is reported
struct Model {
  uint64_t limit, reported = 0;
  bool crossed = false;
  void rose(uint64_t total) {
    if (!crossed && total > limit) crossed = true, reported++;
  }
  void fell(uint64_t total) {
    if (crossed && total <= limit - limit / 20) crossed = false;
  }
};
static uint64_t counted[2], wrong_totals, total_now;

static void count(const gpumemprof_crossing *c, void *) {
  counted[c->level - 1]++;
  if (c->total != total_now || c->total <= c->limit) wrong_totals++;
}

static void walk() {
  Model models[2] = {{400 * KIB}, {600 * KIB}};
  gpumemprof_threshold t = limits(0, models[0].limit, models[1].limit);
  t.callback = count;
  int handle = gpumemprof_threshold_add(&t);
  std::vector<std::pair<char *, uint64_t>> live;
  uint64_t state = 42;
  for (int i = 0; i < 20000; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    if (state >> 63 && !live.empty()) {
      size_t which = (state >> 20) % live.size();
      cudaFree(live[which].first);
      total_now -= live[which].second;
      for (Model &m : models) m.fell(total_now);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
    } else {
      uint64_t bytes = 1 + (state >> 40) % (64 * KIB);
      total_now += bytes;
      live.push_back({take(bytes), bytes});
      for (Model &m : models) m.rose(total_now);
    }
    while (total_now > 900 * KIB) { // the walk stays where the limits are
      total_now -= live.back().second;
      cudaFree(live.back().first);
      live.pop_back();
      for (Model &m : models) m.fell(total_now);
    }
  }
  std::printf("set %d, reported %lu %lu, expected %lu %lu, wrong totals %lu, removed %d\n",
              handle > 0, counted[0], counted[1], models[0].reported, models[1].reported,
              wrong_totals, gpumemprof_threshold_remove(handle));
  take(10 * MIB);
  std::printf("after removal %d\n", counted[0] == models[0].reported);
}

// ---- threads that only allocate cross once, whichever it is
static std::atomic<int> warned, critical;
static void count_once(const gpumemprof_crossing *c, void *) {
  (c->level == GPUMEMPROF_WARN ? warned : critical)++;
  cudaFree(take(100)); // what it does is recorded, and tells nobody
}
static void threads() {
  gpumemprof_threshold t = limits(0, 512 * KIB, MIB);
  t.callback = count_once;
  gpumemprof_threshold_add(&t);
  for (int round = 0; round < 20; round++) {
    std::vector<char *> blocks(8 * 64);
    std::vector<std::thread> pool;
    for (size_t n = 0; n < 8; n++)
      pool.emplace_back([n, &blocks] {
        for (size_t i = 0; i < 64; i++) blocks[n * 64 + i] = take(4 * KIB);
      });
    for (std::thread &one : pool) one.join();
    for (char *block : blocks) cudaFree(block);
  }
  std::printf("warned %d critical %d\n", warned.load(), critical.load());
}

static void wrong() {
  gpumemprof_threshold good = limits(0, 1, 0), t = good;
  std::printf("null %d", gpumemprof_threshold_add(nullptr));
  t.size = 0;
  std::printf(" size %d", gpumemprof_threshold_add(&t));
  (t = good).callback = nullptr;
  std::printf(" callback %d", gpumemprof_threshold_add(&t));
  (t = good).warn_bytes = 0;
  std::printf(" limit %d", gpumemprof_threshold_add(&t));
  for (double percent : {101.0, -1.0, std::nan("")}) {
    (t = good).critical_percent = percent;
    std::printf(" percent %d", gpumemprof_threshold_add(&t));
  }
  (t = good).device = GPUMEMPROF_HOST;
  std::printf(" host %d", gpumemprof_threshold_add(&t) > 0);
  t.warn_percent = 50;
  std::printf(" of the host %d", gpumemprof_threshold_add(&t));
  for (int device : {7, -4}) {
    (t = good).device = device;
    std::printf(" device %d", gpumemprof_threshold_add(&t));
  }
  int handle = 0, all = 0;
  for (int i = 0; i < 16; i++)
    if ((handle = gpumemprof_threshold_add(&good)) > 0) all++;
  std::printf(" all %d full %d removed %d again %d none %d\n", all, gpumemprof_threshold_add(&good),
              gpumemprof_threshold_remove(1), gpumemprof_threshold_remove(1),
              gpumemprof_threshold_remove(-3));
}

static void steps() {
  gpumemprof_threshold t = limits(0, 100 * KIB, 0);
  gpumemprof_threshold_add(&t);
  char *first = take(60 * KIB), *second = take(50 * KIB); // 110: warns
  cudaFree(second);                                       // 60: below 95
  second = take(50 * KIB);                                // 110: warns
  char *third = take(14 * KIB);
  cudaFree(second);                // 74
  second = take(26 * KIB);         // 100: not above
  char *last = take(1);            // warns
  cudaFree(last), cudaFree(third); // 86
  third = take(14 * KIB);          // 100
  last = take(1);                  // warns
  cudaFree(last);                  // 100: still crossed
  last = take(1);                  // does not warn
  cudaFree(first);
}

static void percent() { // of 1 GiB
  gpumemprof_threshold t = limits(0, 0, 0);
  t.warn_percent = 25, t.critical_percent = 50;
  t.critical_bytes = 400 * MIB; // is lower
  gpumemprof_threshold_add(&t);
  take(256 * MIB), take(1), take(144 * MIB - 1), take(1), take(512 * MIB);
}

static void devices() {
  gpumemprof_threshold every = limits(GPUMEMPROF_EVERY_DEVICE, 0, 10 * KIB, "every: ");
  gpumemprof_threshold second = limits(
      gpumemprof_device("GPU-6770756d-656d-7072-6f66-2d73696d0001"), 10 * KIB, 0, "second: ");
  gpumemprof_threshold host = limits(GPUMEMPROF_HOST, 10 * KIB, 0, "host: ");
  gpumemprof_threshold_add(&every), gpumemprof_threshold_add(&second);
  gpumemprof_threshold_add(&host);
  for (int device : {1, 0, 2}) {
    cudaSetDevice(device);
    take(11 * KIB);
  }
  void *pinned;
  cudaMallocHost(&pinned, 11 * KIB);
}

static void forked() {
  gpumemprof_threshold t = limits(0, 10 * KIB, 0);
  gpumemprof_threshold_add(&t);
  take(11 * KIB);
  std::fflush(stdout);
  pid_t child = fork();
  if (!child) take(12 * KIB); // nothing is live in its capture
  std::fflush(stdout);
  if (child) waitpid(child, nullptr, 0);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  if (!std::strcmp(mode, "walk")) walk();
  if (!std::strcmp(mode, "threads")) threads();
  if (!std::strcmp(mode, "wrong")) wrong();
  if (!std::strcmp(mode, "steps")) steps();
  if (!std::strcmp(mode, "percent")) percent();
  if (!std::strcmp(mode, "devices")) devices();
  if (!std::strcmp(mode, "fork")) forked();
  if (!std::strcmp(mode, "names"))
    for (int i = 2; i < argc; i++) {
      if (!std::strcmp(argv[i], "use 1")) cudaSetDevice(1), take(1);
      else std::printf("%d\n", gpumemprof_device(*argv[i] ? argv[i] : nullptr));
    }
  return 0;
}
