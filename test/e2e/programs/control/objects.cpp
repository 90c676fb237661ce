// Every object and function of gpumemprof.hpp, against what the program counts. objects MODE
// [PATH]: `on` where all is recorded, `off` where nothing is; PATH is for a dump. Others: see main.
// Prints one line for each thing that is not as expected, and how many were looked at.
#include "../common/monitor_rounds.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <exception>
#include <gpumemprof/gpumemprof.hpp>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

constexpr uint64_t KIB = 1024;
static bool on;
static int looked;
static uint64_t live; // bytes, of the device

static void is(const char *what, uint64_t found, uint64_t expected) {
  looked++;
  if (found != expected)
    std::printf("%s: %lld, not %lld\n", what, (long long)found, (long long)expected);
}
// `expected` where nothing is recorded: the second one.
static void is(const char *what, int found, int expected, int when_off) {
  is(what, (uint64_t)(int64_t)found, (uint64_t)(int64_t)(on ? expected : when_off));
}

static void *take(uint64_t bytes) {
  void *p = nullptr;
  if (cudaMalloc(&p, bytes)) std::_Exit(3);
  live += bytes;
  return p;
}
static void give(void *p, uint64_t bytes) {
  cudaFree(p);
  live -= bytes;
}

// ---- what no object can: leave its address
template <class T>
constexpr bool stays = !std::is_copy_constructible_v<T> && !std::is_move_constructible_v<T> &&
                       !std::is_copy_assignable_v<T> && !std::is_move_assignable_v<T>;
struct Called {
  uint64_t calls = 0, bytes = 0;
  template <class What> void operator()(const What &what) noexcept { calls++, bytes += add(what); }
  static uint64_t add(const gpumemprof::event &e) { return e.acquired; }
  static uint64_t add(const gpumemprof::crossing &c) { return c.total; }
  static uint64_t add(const gpumemprof::block &b) { return b.bytes; }
  static uint64_t add(const gpumemprof::cycle &c) { return c.number; }
};
static_assert(stays<gpumemprof::hooks<Called>> && stays<gpumemprof::hooks<Called &>> &&
              stays<gpumemprof::threshold<Called>> && stays<gpumemprof::paused> &&
              stays<gpumemprof::monitor> && stays<gpumemprof::scope> && stays<gpumemprof::label> &&
              stays<gpumemprof::attached>);

// ---- hooks
static uint64_t plain_calls;
static void plain(const gpumemprof::event &) {
  plain_calls++;
}

static void hooks() {
  Called counted, frees, others;
  uint64_t kept = 0, *kept_at = &kept;
  {
    gpumemprof::hooks set(counted, gpumemprof::on::allocated);
    static_assert(std::is_same_v<decltype(set), gpumemprof::hooks<Called &>>);
    gpumemprof::hooks both(frees, gpumemprof::on::allocated, gpumemprof::on::free_requested);
    gpumemprof::hooks around(others, gpumemprof::on::allocation_requested, gpumemprof::on::freed);
    gpumemprof::hooks function(plain, gpumemprof::on::free_requested);
    gpumemprof::hooks inside(
        [kept_at, n = uint64_t(1)](const gpumemprof::event &e) mutable {
          *kept_at += n++ * e.acquired;
        },
        gpumemprof::on::allocated);
    is("hooks are there", set && both && around && inside && function, on, 0);
    is("hooks' error", set.error(), 0, GPUMEMPROF_ERROR_OFF);
    void *a = take(100), *b = take(200);
    give(a, 100);
    give(b, 200);
  }
  void *after = take(50);
  give(after, 50);
  is("allocations reported", counted.calls, on ? 2 : 0);
  is("bytes reported", counted.bytes, on ? 300 : 0);
  is("both reported", frees.calls, on ? 4 : 0);
  is("bytes of both", frees.bytes, on ? 600 : 0);
  is("requests and frees reported", others.calls, on ? 4 : 0);
  is("bytes of the freed", others.bytes, on ? 300 : 0);
  is("a function reported", plain_calls, on ? 2 : 0);
  is("state in the object", kept, on ? 100 + 2 * 200 : 0);
}

// What a hook uses is there until the last thread has left it.
struct Alive {
  std::atomic<int> *state; // 1: there
  std::atomic<uint64_t> *wrong;
  void operator()(const gpumemprof::event &) const noexcept {
    for (int i = 0; i < 20; i++) {
      if (*state != 1) ++*wrong;
      std::this_thread::yield();
    }
  }
};
static void hooks_end_while_threads_are_in_them() {
  std::atomic<bool> ends{false};
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> pool;
  for (int i = 0; i < 3; i++)
    pool.emplace_back([&] {
      for (void *p = nullptr; !ends; cudaFree(p)) cudaMalloc(&p, 512);
    });
  for (int i = 0; i < 100; i++) {
    std::atomic<int> state{1};
    {
      gpumemprof::hooks set(Alive{&state, &wrong}, gpumemprof::on::allocated);
      std::this_thread::yield();
    }
    state = 2;
  }
  ends = true;
  for (std::thread &one : pool) one.join();
  is("calls after the end", wrong, 0);
}

// ---- thresholds, pauses, marks
static void threshold() {
  Called counted;
  gpumemprof::limits limits;
  limits.warn_bytes = live + 10 * KIB;
  uint64_t before = live;
  {
    gpumemprof::threshold watched(limits, counted);
    is("threshold is there", bool(watched), on, 0);
    is("threshold's error", watched.error(), 0, GPUMEMPROF_ERROR_OFF);
    for (int i = 0; i < 3; i++) {
      void *p = take(11 * KIB);
      give(p, 11 * KIB);
    }
  }
  void *p = take(11 * KIB);
  give(p, 11 * KIB);
  is("crossings", counted.calls, on ? 3 : 0);
  is("totals", counted.bytes, on ? 3 * (before + 11 * KIB) : 0);
  gpumemprof::threshold none(gpumemprof::limits(), [](const gpumemprof::crossing &) noexcept {});
  is("threshold without a limit", none.error(), GPUMEMPROF_ERROR_ARGUMENT, GPUMEMPROF_ERROR_OFF);
  is("is none", bool(none), 0);
}

static void pauses() {
  void *within, *still;
  {
    gpumemprof::paused outer;
    is("paused", bool(outer), on, 0);
    is("pause's error", outer.error(), 0, GPUMEMPROF_ERROR_OFF);
    {
      gpumemprof::paused inner;
      within = take(3 * KIB);
    }
    still = take(4 * KIB);
  }
  void *after = take(5 * KIB);
  gpumemprof::summary_row rows[64];
  size_t count = gpumemprof::summarize(GPUMEMPROF_BY_LINE, rows, 64);
  uint64_t of_the_line = 0;
  for (size_t i = 0; i < count && i < 64; i++)
    if (rows[i].name && !std::strcmp(rows[i].name, "(paused)")) of_the_line += rows[i].live.bytes;
  is("of the line", of_the_line, on ? 7 * KIB : 0);
  is("live", gpumemprof::take_snapshot().acquired, on ? live : 0);
  give(within, 3 * KIB), give(still, 4 * KIB), give(after, 5 * KIB);
  is("nothing is left to resume", gpumemprof_resume(), GPUMEMPROF_ERROR_ARGUMENT,
     GPUMEMPROF_ERROR_OFF);
}

static void marks() {
  uint64_t first = gpumemprof::mark("first");
  void *a = take(100), *b = take(200), *c = take(400);
  give(b, 200);
  uint64_t second = gpumemprof::mark();
  void *d = take(800);
  is("the clock between marks", second - first, on ? 4 : 0);
  is("what is left", gpumemprof::leaks(first, second).bytes, on ? 500 : 0);
  is("until now", gpumemprof::leaks(first).bytes, on ? 1300 : 0);
  Called counted;
  gpumemprof::remaining left = gpumemprof::leaks(first, second, counted);
  is("blocks", left.blocks, on ? 2 : 0);
  is("bytes of blocks", counted.bytes, on ? 500 : 0);
  uint64_t bytes = 0;
  gpumemprof::leaks(second, gpumemprof::until_now,
                    [&](const gpumemprof::block &one) { bytes += one.bytes; });
  is("by a temporary", bytes, on ? 800 : 0);
#ifdef GPUMEMPROF_SPAN_
  gpumemprof::block room[2];
  auto rows = gpumemprof::leaks(first, gpumemprof::until_now, room);
  is("a span of two", rows.size(), on ? 2 : 0);
  rows = gpumemprof::leaks(second, gpumemprof::until_now, room);
  is("a span of one", rows.size(), on ? 1 : 0);
  is("its bytes", rows.empty() ? 0 : rows[0].bytes, on ? 800 : 0);
#endif
  give(a, 100), give(c, 400), give(d, 800);
}

// ---- steps, with schedule=wait:1,active:1,repeat:2
static void steps() {
  static Called cycles;
  is("on_cycle", gpumemprof::on_cycle(cycles), 0, GPUMEMPROF_ERROR_OFF);
  for (uint64_t i = 1; i <= 5; i++) {
    void *p = take(i * KIB);
    give(p, i * KIB);
    is("step", gpumemprof::step(), on ? i : 0);
    if (i == 2) is("on_cycle of nobody", gpumemprof::on_cycle(nullptr), 0, GPUMEMPROF_ERROR_OFF);
    static const auto same = [](const gpumemprof::cycle &c) noexcept { cycles(c); };
    if (i == 3) is("on_cycle once more", gpumemprof::on_cycle(same), 0, GPUMEMPROF_ERROR_OFF);
  }
  is("cycles", cycles.calls, on ? 2 : 0);
  is("their numbers", cycles.bytes, on ? 1 + 2 : 0);
}

// ---- scopes, labels, contexts, rows
static void places() {
  is("reset", gpumemprof::reset(), on, 0);
  gpumemprof::result left;
  struct gpumemprof_context *context = gpumemprof_context_capture();
  void *p = nullptr;
  {
    gpumemprof::scope scope("outer");
    scope.leave_in(left);
    gpumemprof::label label("named");
    p = take(7 * KIB);
  }
  is("own peak", left.own_peak, on ? 7 * KIB : 0);
  void *handed = nullptr;
  std::thread([&] {
    gpumemprof::attached work(context);
    handed = take(9 * KIB);
  }).join();
  gpumemprof_context_release(context);
  gpumemprof::summary_row rows[4];
  size_t count = gpumemprof::summarize(GPUMEMPROF_BY_LABEL, rows, 4);
  is("labels", count, on ? 2 : 0);
  uint64_t named = 0, others = 0;
  for (size_t i = 0; i < count; i++) (rows[i].name ? named : others) += rows[i].live.bytes;
  is("of the label", named, on ? 7 * KIB : 0);
  is("of no label", others, on ? live - 7 * KIB : 0);
#ifdef GPUMEMPROF_SPAN_
  is("span of labels", gpumemprof::summarize(GPUMEMPROF_BY_LABEL, rows).size(), on ? 2 : 0);
#endif
  is("live at the end", gpumemprof::take_snapshot().acquired, on ? live : 0);
  give(p, 7 * KIB), give(handed, 9 * KIB);
}

static void others(const char *path) {
  is("device", gpumemprof::device("0"), 0, GPUMEMPROF_ERROR_OFF);
  is("no device", gpumemprof::device("7"), GPUMEMPROF_ERROR_DEVICE, GPUMEMPROF_ERROR_OFF);
  is("history", gpumemprof::history("all"), 0, GPUMEMPROF_ERROR_OFF);
  is("no history", gpumemprof::history("x"), GPUMEMPROF_ERROR_ARGUMENT, GPUMEMPROF_ERROR_OFF);
  void *p = take(13 * KIB);
  is("dump", gpumemprof::dump(path), 0, GPUMEMPROF_ERROR_OFF);
  errno = 77;
  is("no dump", gpumemprof::dump("none/x"), GPUMEMPROF_ERROR_SYSTEM, GPUMEMPROF_ERROR_OFF);
  is("its errno", errno, ENOENT, 77);
  give(p, 13 * KIB);
  is("history ends", gpumemprof::history("off"), 0, GPUMEMPROF_ERROR_OFF);
  {
    gpumemprof::monitor samples(1000000);
    is("monitor", bool(samples), on, 0);
    is("monitor's error", samples.error(), 0, GPUMEMPROF_ERROR_OFF);
    if (samples) nap_and_rounds_of_helper(50, 8);
  }
  p = take(17 * KIB); // by when nobody looks
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  gpumemprof::monitor none(1);
  is("no monitor", none.error(), GPUMEMPROF_ERROR_ARGUMENT, GPUMEMPROF_ERROR_OFF);
  is("is no monitor", bool(none), 0);
  give(p, 17 * KIB);
}

static void throws() {
  std::set_terminate([] { std::puts("terminated"), std::fflush(stdout), std::_Exit(9); });
  gpumemprof::hooks set([](const gpumemprof::event &) { throw std::runtime_error("no"); },
                        gpumemprof::on::allocated);
  try {
    take(1);
  } catch (const std::exception &) {
    std::puts("caught");
  }
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  on = !std::strcmp(mode, "on");
  if (!std::strcmp(mode, "throws")) return throws(), 0;
  void *first = take(KIB);
  hooks();
  hooks_end_while_threads_are_in_them();
  threshold();
  pauses();
  marks();
  steps();
  others(argc > 2 ? argv[2] : nullptr);
  places();
  give(first, KIB);
  std::printf("looked at %d\n", looked);
  return 0;
}
