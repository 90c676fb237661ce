// Sizes computed from values of which this program keeps a list of its own: what it prints is what
// the profiler has to have. The first argument says which case.
//
//   FUNCTION LINE NAME MIN MAX LATEST AT_LARGEST      of an operand, when the case is over
//   CALL LINE NAME=VALUE ...                          of each call, when asked for
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

struct Line {
  std::vector<std::string> names;
  std::vector<long long> min, max, latest, largest;
  unsigned long long bytes = 0;
};
static std::map<std::pair<std::string, int>, Line> lines;
static std::mutex lines_mutex;
static bool tells_calls, keeps = true;

static void keep(const char *function, int line, unsigned long long bytes,
                 std::vector<std::pair<const char *, long long>> values) {
  std::lock_guard<std::mutex> lock(lines_mutex);
  if (tells_calls) {
    std::printf("CALL %d", line);
    for (auto &v : values) std::printf(" %s=%lld", v.first, v.second);
    std::printf("\n");
  }
  if (!keeps) return;
  Line &l = lines[{function, line}];
  bool first = l.names.empty();
  l.latest.clear();
  for (size_t i = 0; i < values.size(); i++) {
    long long v = values[i].second;
    if (first) l.names.push_back(values[i].first), l.min.push_back(v), l.max.push_back(v);
    if (v < l.min[i]) l.min[i] = v;
    if (v > l.max[i]) l.max[i] = v;
    l.latest.push_back(v);
  }
  if (first || bytes > l.bytes) l.bytes = bytes, l.largest = l.latest;
}
static void print() {
  for (auto &one : lines)
    for (size_t i = 0; i < one.second.names.size(); i++)
      std::printf("%s %d %s %lld %lld %lld %lld\n", one.first.first.c_str(), one.first.second,
                  one.second.names[i].c_str(), one.second.min[i], one.second.max[i],
                  one.second.latest[i], one.second.largest[i]);
  std::fflush(stdout);
}
static uint64_t state = 7;
static unsigned draw(unsigned below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return unsigned(state >> 40) % below;
}

// ---- loops
static void of_two(unsigned long long n, int m) {
  float *p;
  keep("of_two", __LINE__ + 1, (n + 4) * (5 + m), {{"n", n}, {"m", m}});
  cudaMalloc(reinterpret_cast<void **>(&p), (n + 4) * (5 + m));
  cudaFree(p);
}
static void of_one(short s) {
  void *p;
  keep("of_one", __LINE__ + 1, 1000 - s, {{"s", s}});
  cudaMalloc(&p, 1000 - s);
  cudaFree(p);
}
template <class T, int N> static void of_template(T count) {
  T *p;
  const char *name = sizeof(T) == 1 ? "of_template<unsigned char, 3>" : "of_template<long, 100>";
  keep(name, __LINE__ + 1, N * sizeof(T) + count, {{"count", (long long)count}});
  cudaMalloc(&p, N * sizeof(T) + count);
  cudaFree(p);
}
struct Matrix {
  size_t rows, columns;
  size_t size() const { return rows * columns; }
  float *data = nullptr;
  Matrix(size_t r, size_t c) : rows(r), columns(c) {
    keep("Matrix::Matrix", __LINE__ + 1, size() * 4, {{"size()", size()}});
    cudaMalloc(&data, size() * sizeof(float));
  }
  ~Matrix() { cudaFree(data); }
};
static void loops() {
  for (int i = 0; i < 3000; i++) {
    of_two(draw(1000), int(draw(9)) - 4);
    of_one(short(draw(900)) - 300);
    of_template<unsigned char, 3>(static_cast<unsigned char>(draw(256)));
    of_template<long, 100>(long(draw(700)) - 350);
    Matrix matrix(draw(20) + 1, draw(30) + 1);
    if (i % 3) of_two(12, 2); // often the same
  }
}

// ---- threads: no value may be missed between those of others
static void of_thread(size_t a, size_t b) {
  void *p;
  keep("of_thread", __LINE__ + 1, a * b, {{"a", a}, {"b", b}});
  cudaMallocHost(&p, a * b);
  cudaFreeHost(p);
}
static void threads() {
  std::vector<std::thread> pool;
  for (unsigned t = 0; t < 4; t++)
    pool.emplace_back([t] {
      for (unsigned i = 1; i <= 2000; i++) of_thread(i % 7 + 1 + t, (i * 5 + t) % 11 + 1);
      if (t == 2) of_thread(97, 89); // the largest of all, once
    });
  for (std::thread &one : pool) one.join();
  of_thread(3, 4);
}

// ---- each call, with the history
static void of_call(unsigned n, int shift) {
  void *p;
  keep("of_call", __LINE__ + 1, size_t(n) << shift, {{"n", n}, {"shift", shift}});
  if (cudaMalloc(&p, size_t(n) << shift) == cudaSuccess) cudaFree(p);
}
static void calls() {
  tells_calls = true;
  for (int i = 0; i < 40; i++) of_call(3, 4), of_call(unsigned(i / 2) + 1, i % 3);
  of_call(1, 50); // fails
  of_call(7, 1);
}
static void switched() {
  of_call(5, 1);
  of_call(5, 1);
  gpumemprof_history("all");
  tells_calls = true;
  for (int i = 0; i < 3; i++) of_call(5, 1);
  tells_calls = false;
  gpumemprof_history("off");
  of_call(6, 1);
  of_call(5, 2);
  gpumemprof_history("all");
  tells_calls = true;
  of_call(5, 2);
}

// ---- figures that begin again, pauses, children, coroutines
static void reset() {
  of_two(900, 4);
  of_one(5);
  gpumemprof_reset();
  lines.clear();
  of_two(10, 1);
  of_two(10, 1);
  of_two(8, 2);
}
static void paused() {
  of_two(10, 1);
  gpumemprof_pause();
  keeps = false;
  of_two(900, 4);
  of_two(1, -4);
  keeps = true;
  gpumemprof_resume();
  of_two(11, 1);
}
static void forked() {
  of_two(10, 1);
  of_two(900, 4);
  pid_t child = fork();
  if (!child) {
    lines.clear();
    of_two(900, 4);
    of_two(30, 2);
    return;
  }
  waitpid(child, nullptr, 0);
  of_two(9, 1);
}
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle;
};
static Task work(size_t n) {
  for (size_t i = 1; i <= n; i++) {
    void *p;
    keep("work", __LINE__ + 1, n * i, {{"n", n}, {"i", i}});
    cudaMalloc(&p, n * i);
    co_await std::suspend_always();
    cudaFree(p);
  }
}
static void coroutine() {
  Task a = work(5), b = work(3);
  while (!a.handle.done() || !b.handle.done()) {
    if (!a.handle.done()) a.handle.resume();
    if (!b.handle.done()) b.handle.resume();
  }
  a.handle.destroy();
  b.handle.destroy();
}
// A library that goes and comes back has one record.
static void library(const char *path) {
  for (unsigned n : {40u, 20u, 30u}) {
    void *object = dlopen(path, RTLD_NOW);
    auto take = reinterpret_cast<void (*)(unsigned)>(dlsym(object, "take"));
    take(n);
    take(n);
    dlclose(object);
  }
}
// Two libraries have the same lines: what one tells is not known to the other.
static void libraries(const char *first, const char *second) {
  using Take = void (*)(unsigned);
  Take one = reinterpret_cast<Take>(dlsym(dlopen(first, RTLD_NOW), "take"));
  Take other = reinterpret_cast<Take>(dlsym(dlopen(second, RTLD_NOW), "take"));
  one(40);
  other(20);
  one(40);
}
// step=one_step: the first allocation of a cycle is what begins it, and its values stay the same.
static void one_step(unsigned n) {
  void *p;
  keep("one_step", __LINE__ + 1, n * 3ul, {{"n", n}});
  cudaMalloc(&p, n * 3ul);
  cudaFree(p);
}
static void steps() {
  one_step(9);
  one_step(50);
  one_step(50);
  lines.clear(); // skip_first:3
  one_step(50);
}
// ---- wherever a call stands, and whatever it asks for
static void of_block(unsigned n) {
  GPUMEMPROF_SCOPE("outer");
  for (unsigned i = 1; i < 4; i++) {
    GPUMEMPROF_SCOPE("inner");
    void *p;
    keep("of_block", __LINE__ + 1, n * i * 8ul, {{"n", n}, {"i", i}});
    cudaMalloc(&p, n * i * 8ul);
    cudaFree(p);
  }
}
static void of_nothing(size_t n) {
  void *p = nullptr;
  keep("of_nothing", __LINE__ + 1, n * 16, {{"n", n}});
  cudaMalloc(&p, n * 16);
  cudaFree(p);
}
static void of_four(long a, int b, short c, unsigned char d) {
  void *p;
  keep("of_four", __LINE__ + 1, a * b + c - d, {{"a", a}, {"b", b}, {"c", c}, {"d", d}});
  cudaMalloc(&p, a * b + c - d);
  cudaFree(p);
}
static void of_array(size_t w, int h) {
  cudaArray_t array;
  cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  keep("of_array", __LINE__ + 1, w * 2 * h * 4, {{"w", w}, {"h", h}});
  cudaMallocArray(&array, &floats, w * 2, h, 0);
  cudaFreeArray(array);
}
static void of_node(unsigned n) { // of a graph: asked for when it is captured
  cudaStream_t stream;
  cudaGraph_t graph;
  void *p;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  keep("of_node", __LINE__ + 1, n * 64ul, {{"n", n}});
  cudaMallocAsync(&p, n * 64ul, stream);
  cudaFreeAsync(p, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t ready;
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
static int depth;
static void of_hook(int n, int m) { // its hook makes such a call, too, before it
  void *p;
  keep("of_hook", __LINE__ + 1, 40ul * n * m, {{"n", n}, {"m", m}});
  cudaMalloc(&p, 40ul * n * m);
  cudaFree(p);
}
static void make_room(const gpumemprof_event *, void *) {
  if (depth++) return;
  of_hook(1, 2);
  depth = 0;
}
// Its pieces are those of its callers. Results in registers, in memory, and left in an argument.
struct Piece {
  char *at;
  long more[4];
};
struct Pool {
  char memory[1 << 16], *next = memory;
  __attribute__((noinline)) char *take(int bytes) GPUMEMPROF_ALLOCATES(1) { return next += bytes; }
  __attribute__((noinline)) Piece whole(size_t count, short size) GPUMEMPROF_ALLOCATES(1, 2) {
    return {next += count * size, {}};
  }
  __attribute__((noinline)) char *operator()(unsigned long bytes) GPUMEMPROF_ALLOCATES(1) {
    return next += bytes;
  }
};
__attribute__((noinline)) static int leave_in(char **p, size_t bytes) GPUMEMPROF_ALLOCATES(2);
static Pool pool;
static int leave_in(char **p, size_t bytes) {
  *p = pool.next += bytes;
  return 0;
}
static void of_pool(int n, short m) {
  keep("of_pool", __LINE__ + 1, n * 3, {{"n", n}});
  pool.take(n * 3);
  keep("of_pool", __LINE__ + 1, (n + 1) * m, {{"n", n}, {"m", m}});
  pool.whole(n + 1, m);
  keep("of_pool", __LINE__ + 1, 5 + m, {{"m", m}});
  pool(5 + m);
  char *p;
  keep("of_pool", __LINE__ + 1, n + m, {{"n", n}, {"m", m}});
  leave_in(&p, n + m);
}
static gpumemprof_pool *arena;
static void of_arena(size_t n) {
  static char memory[1 << 16], *next = memory;
  next += n * 4;
  keep("of_arena", __LINE__ + 1, n * 4, {{"n", n}});
  gpumemprof_pool_alloc(arena, next, n * 4);
}
static void places() {
  arena = gpumemprof_pool_create("arena");
  for (unsigned i = 0; i < 300; i++) {
    of_block(draw(50) + 1);
    of_nothing(draw(3));
    of_four(i % 3 + 100, int(draw(2)) + 3, short(i / 100), i > 200);
    of_array(draw(5) + 1, int(draw(7)) + 1);
    of_pool(int(draw(9)) + 1, short(draw(3) + 1));
    of_arena(draw(4) + 1);
  }
  of_node(7);
  of_node(3);
  gpumemprof_hooks hooks = {};
  hooks.size = sizeof hooks;
  hooks.allocation_requested = make_room;
  int handle = gpumemprof_hooks_add(&hooks, nullptr);
  of_hook(3, 4);
  gpumemprof_hooks_remove(handle);
  of_hook(2, 5);
}

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "loops") loops();
  if (mode == "threads") threads();
  if (mode == "calls") calls();
  if (mode == "switched") switched();
  if (mode == "reset") reset();
  if (mode == "paused") paused();
  if (mode == "fork") forked();
  if (mode == "coroutine") coroutine();
  if (mode == "steps") steps();
  if (mode == "places") places();
  if (mode == "library") library(argv[2]);
  if (mode == "libraries") libraries(argv[2], argv[3]);
  print();
  return 0;
}
