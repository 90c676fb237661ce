// Lines whose callee has no frame of its own: containers, implicit members, algorithms, ignored
// functions. The program adds up for itself what each line needs on top of what was there before it
// (begin, end) and prints it: {"LINE": bytes, ...}.
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

static thread_local size_t live, base, highest;
static std::map<int, size_t> *needs;
static int kill_at = -1;

static void begin() {
  highest = base = live;
}
static void end(int line) {
  (*needs)[line] = std::max((*needs)[line], highest - base);
}
static void count(size_t bytes) {
  highest = std::max(highest, live += bytes);
}

struct Buf {
  void *p = nullptr;
  size_t bytes;
  explicit Buf(size_t bytes = 1000) : bytes(bytes) {
    cudaMalloc(&p, bytes);
    count(bytes);
    if (kill_at >= 0 && !kill_at--) raise(SIGKILL);
  }
  Buf(const Buf &other) : Buf(other.bytes) {} // never moved
  Buf &operator=(const Buf &other) {
    void *old = p;
    cudaMalloc(&p, other.bytes);
    count(other.bytes);
    cudaFree(old);
    live -= bytes;
    bytes = other.bytes;
    return *this;
  }
  ~Buf() {
    cudaFree(p);
    live -= bytes;
  }
};

struct Two {
  Buf a{10000}, b{20000};
};

static int built;
struct Breaks {
  Buf a;
  Buf b;
  Breaks() {
    if (++built % 4 == 0) throw built;
  }
};

// clang-format off
static void containers() {
  begin(); std::vector<Buf> v(10); end(__LINE__);
  begin(); Two t; end(__LINE__);
  begin(); std::vector<Buf> copy(v); end(__LINE__);
  begin(); copy = v; end(__LINE__);
  begin(); std::vector<std::vector<Buf>> nested(3, v); end(__LINE__);
  begin(); nested.clear(); end(__LINE__);
  std::vector<Buf> grows;
  for (int i = 0; i < 9; i++) {
    begin(); grows.emplace_back(100u + 10u * unsigned(i)); end(__LINE__);
  }
  begin(); grows.insert(grows.begin(), 3, v[0]); end(__LINE__);
  begin(); grows.erase(grows.begin(), grows.begin() + 4); end(__LINE__);
  std::map<int, Two> m;
  for (int i = 0; i < 3; i++) {
    begin(); m[i]; end(__LINE__);
  }
  begin(); std::map<int, Two> other(m); end(__LINE__);
  begin(); std::list<Two> list(4, t); end(__LINE__);
  begin(); list.resize(6); end(__LINE__);
  begin(); list.clear(); end(__LINE__);
}

static void implicit_members() {
  Two a, b;
  begin(); Two c(a); end(__LINE__);
  begin(); b = a; end(__LINE__);
  begin(); std::swap(a, b); end(__LINE__);
  begin(); auto unique = std::make_unique<Two>(); end(__LINE__);
  begin(); auto shared = std::make_shared<Two>(c); end(__LINE__);
  begin(); unique.reset(); end(__LINE__);
  begin(); auto many = std::make_unique<Two[]>(3); end(__LINE__);
  std::optional<Two> maybe;
  begin(); maybe.emplace(c); end(__LINE__);
  begin(); maybe.emplace(c); end(__LINE__);
}

static void algorithms() {
  std::vector<void *> p(7);
  begin(); std::for_each(p.begin(), p.end(), [](void *&at) { cudaMalloc(&at, 500); count(500); }); end(__LINE__);
  begin(); std::for_each(p.begin(), p.end(), [](void *at) { cudaFree(at); live -= 500; }); end(__LINE__);
  begin(); std::generate(p.begin(), p.end(), [n = 0]() mutable { void *at; cudaMalloc(&at, size_t(n += 100)); count(size_t(n)); return at; }); end(__LINE__);
  size_t n = 0;
  begin(); std::for_each(p.begin(), p.end(), [&](void *at) { cudaFree(at); live -= n += 100; }); end(__LINE__);
  Buf x(300), y(400);
  std::function<void()> captured = [x, y] { Buf more(x.bytes + y.bytes); };
  begin(); std::function<void()> another(captured); end(__LINE__);
  begin(); another(); end(__LINE__);
  int numbers[6] = {5, 3, 1, 4, 2, 0};
  static void *kept[100];
  static int used;
  begin(); qsort(numbers, 6, sizeof(int), [](const void *a, const void *b) {
    cudaMalloc(&kept[used++], 64); count(64);
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
  }); end(__LINE__ - 3);
  while (used) { cudaFree(kept[--used]); live -= 64; }
}

static void walk(int depth) {
  Buf here(100);
  int two[2] = {1, 2};
  if (depth) std::for_each(two, two + 2, [&](int i) { if (i == 1 || depth > 2) walk(depth - 1); });
  Buf after(10);
}

static void exceptions() {
  for (int i = 0; i < 3; i++) {
    built = i;
    begin();
    try { std::vector<Breaks> breaks(5);
    } catch (int) { end(__LINE__ - 1); }
    begin(); std::vector<Buf> v(2); end(__LINE__);
  }
}

static jmp_buf back;
static void jumps() {
  static std::vector<void *> p(3);
  static int times;
  static void *one;
  if (setjmp(back)) end(__LINE__ + 1);
  begin(); if (times < 3) std::for_each(p.begin(), p.end(), [](void *&at) { cudaMalloc(&at, 700); count(700); if (&at == &p[2]) { times++; longjmp(back, 1); } });
  begin(); cudaMalloc(&one, 50); count(50); end(__LINE__);
}

GPUMEMPROF_IGNORE static void take(void **p, size_t bytes) {
  for (int i = 0; i < 4; i++) { cudaMalloc(&p[i], bytes); count(bytes); }
}
GPUMEMPROF_IGNORE static void give(void **p, size_t bytes) {
  for (int i = 0; i < 4; i++) { cudaFree(p[i]); live -= bytes; }
}
GPUMEMPROF_IGNORE static void exchange(void **p, size_t bytes) {
  for (int i = 0; i < 4; i++) { cudaFree(p[i]); live -= bytes; cudaMalloc(&p[i], bytes + 256); count(bytes + 256); }
}
static void ignored_functions() {
  void *p[4];
  for (int i = 0; i < 300; i++) {
    begin(); take(p, 2048); end(__LINE__);
    begin(); exchange(p, 2048); end(__LINE__);
    begin(); give(p, 2304); end(__LINE__);
  }
}

static void work() { std::vector<Buf> v(3); }
static void threads() {
  begin(); std::thread(work).join(); end(__LINE__);
  begin(); std::async(std::launch::async, work).get(); end(__LINE__);
  std::thread others[3];
  for (auto &other : others) other = std::thread([] { for (int i = 0; i < 40; i++) work(); });
  for (auto &other : others) other.join();
}
// clang-format on

int main(int argc, char **argv) {
  static std::map<int, size_t> lines;
  needs = &lines;
  if (argc > 1) {
    kill_at = atoi(argv[1]);
    std::vector<Two> v(9);
    return 1;
  }
  containers();
  implicit_members();
  algorithms();
  begin(), walk(4), end(__LINE__);
  exceptions();
  jumps();
  ignored_functions();
  threads();
  const char *separator = "{";
  for (auto &[line, bytes] : lines) {
    printf("%s\"%d\": %zu", separator, line, bytes);
    separator = ", ";
  }
  puts("}");
  return 0;
}
