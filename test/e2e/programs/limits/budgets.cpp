// Budgets of functions and blocks, kept and broken. The first argument says which part runs; line
// numbers do not matter, sizes and counts do: budgets.py has them all once more.
#include <cuda_runtime.h>
#include <gpumemprof/control.h>
#include <gpumemprof/gpumemprof.h>
#include <gpumemprof/measure.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

constexpr size_t KIB = 1024;
static char *kept[64];
static int used;

static char *take(size_t bytes) {
  char *p;
  return cudaMalloc(&p, bytes) ? nullptr : p;
}
static void keep(char *p) {
  kept[used++] = p;
}
static void drop() {
  cudaFree(kept[--used]);
}

// ---- each kind, kept and broken ----

GPUMEMPROF_BUDGET("64KiB") static void exact() {
  char *p = take(64 * KIB);
  cudaFree(p);
  p = take(32 * KIB);
  cudaFree(p);
}
GPUMEMPROF_BUDGET("64 kib") static void over(bool more) {
  char *p = take(64 * KIB), *q = more ? take(1) : nullptr;
  cudaFree(p);
  cudaFree(q);
}
GPUMEMPROF_BUDGET("0") static void shrinks() { // what it frees first is room
  drop();
  keep(take(48 * KIB));
}
GPUMEMPROF_BUDGET("8KiB") static void pinned_is_not_on_the_device() {
  void *p;
  cudaMallocHost(&p, 64 * KIB);
  cudaFreeHost(p);
  cudaFree(take(8 * KIB));
}

GPUMEMPROF_NO_ALLOC static void only_frees() {
  drop();
}
GPUMEMPROF_NO_ALLOC static void fails() {
  char *p;
  if (cudaMalloc(&p, size_t(1) << 50) == cudaSuccess) abort();
  cudaGetLastError();
}
GPUMEMPROF_NO_ALLOC static void allocates(bool really) {
  if (!really) return;
  void *p, *q;
  cudaMallocHost(&p, 4 * KIB);
  cudaMallocAsync(&q, 8 * KIB, nullptr);
  cudaFreeHost(p);
  cudaFreeAsync(q, nullptr);
}
GPUMEMPROF_NO_ALLOC static void takes_pieces(char *segment) {
  static gpumemprof_pool *pool = gpumemprof_pool_create("pieces");
  gpumemprof_pool_alloc(pool, segment, KIB);
  gpumemprof_pool_free(pool, segment);
}

GPUMEMPROF_NO_LEAK static void tidy() {
  char *p = take(16 * KIB), *q = take(KIB);
  cudaFree(q);
  cudaFree(p);
}
GPUMEMPROF_NO_LEAK static void hides() { // frees more than it leaves
  drop();
  keep(take(32 * KIB));
  cudaFree(take(2 * KIB));
}
GPUMEMPROF_NO_LEAK static void leaves(int blocks) {
  for (int i = 0; i < blocks; i++) keep(take((4 + i) * KIB));
}
GPUMEMPROF_NO_LEAK static void leaves_pinned() {
  void *p;
  cudaMallocHost(&p, 3 * KIB);
  keep(static_cast<char *>(p));
}
GPUMEMPROF_NO_LEAK static void failed_free_leaves_it() {
  char *p = take(5 * KIB);
  if (cudaFree(p + 1) == cudaSuccess) abort();
  cudaGetLastError();
  keep(p);
}

static void single() {
  for (int i = 0; i < 5; i++) exact();
  over(false);
  over(true);
  over(true);
  over(false);
  keep(take(96 * KIB));
  shrinks();
  only_frees();
  pinned_is_not_on_the_device();
  fails();
  for (int i = 0; i < 7; i++) allocates(i % 3 == 0);
  char *segment = take(16 * KIB);
  takes_pieces(segment);
  cudaFree(segment);
  for (int i = 0; i < 100; i++) tidy();
  keep(take(64 * KIB));
  hides();
  drop();
  for (int n : {0, 2, 3, 1, 0}) leaves(n);
  while (used) drop();
  leaves_pinned();
  cudaFreeHost(kept[--used]);
  failed_free_leaves_it();
  drop();
}

// ---- blocks, and scopes in scopes ----

GPUMEMPROF_NO_LEAK GPUMEMPROF_BUDGET("20KiB") static void outer_kept() {
  leaves(1); // broken there ...
  drop();    // ... and not here
  over(false);
}
static void blocks() {
  for (int i = 0; i < 4; i++) {
    GPUMEMPROF_SCOPE_BUDGET("room", "10KiB");
    char *p = take(8 * KIB + size_t(i) * KIB);
    {
      GPUMEMPROF_SCOPE_NO_ALLOC("quiet");
      if (i == 1) {
        cudaFree(p);
        continue;
      }
      cudaFree(p);
      if (i == 2) break;
    }
    GPUMEMPROF_SCOPE_NO_LEAK("clean");
    keep(take(KIB));
    if (i) drop();
  }
  while (used) drop();
  GPUMEMPROF_SCOPE_NO_ALLOC("loud");
  {
    GPUMEMPROF_SCOPE_NO_ALLOC("loud inside");
    cudaFree(take(6 * KIB));
  }
  cudaFree(take(7 * KIB));
}

// ---- recursion ----

GPUMEMPROF_BUDGET("48KiB") GPUMEMPROF_NO_ALLOC static void deeper(int n) {
  char *p = take(16 * KIB);
  if (n > 1) deeper(n - 1);
  cudaFree(p);
}
// Each level leaves its memory to the next one, whose call is in return position.
GPUMEMPROF_NO_LEAK static void hand_down(char *p, int n) {
  char *q = n ? take(KIB) : nullptr;
  cudaFree(p);
  if (n) return hand_down(q, n - 1);
}
GPUMEMPROF_NO_LEAK static void leaves_at(int n) {
  if (n == 2) keep(take(2 * KIB));
  if (n) leaves_at(n - 1);
}
static void recursion() {
  deeper(5);
  deeper(2);
  hand_down(nullptr, 6);
  leaves_at(4);
  drop();
}

// ---- a deep nest ----

// The innermost of n levels leaves a block if there are many, which the tenth frees. Nanoseconds of
// a pair in there.
GPUMEMPROF_NO_LEAK static uint64_t nest(int n, int level) {
  constexpr int PAIRS = 200000;
  if (level < n) {
    uint64_t ns = nest(n, level + 1);
    if (level == n - 9) drop();
    return ns;
  }
  timespec begin, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  for (int i = 0; i < PAIRS; i++) cudaFree(take(KIB));
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  if (n > 9) keep(take(3 * KIB));
  return static_cast<uint64_t>((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec -
                               begin.tv_nsec) /
         PAIRS;
}
static void deep() {
  uint64_t shallow = nest(2, 1);
  std::printf("pairs %lu %lu\n", shallow, nest(8000, 1));
}

// ---- many threads in one function ----

constexpr int THREADS = 6, ROUNDS = 40;
static std::atomic<int> arrived;
static void meet(int round) { // all are in the function at once
  arrived++;
  while (arrived < THREADS * (round + 1)) std::this_thread::yield();
}
GPUMEMPROF_NO_LEAK GPUMEMPROF_BUDGET("9KiB") static char *work(int i, int round) {
  char *p = take(size_t(i + 1) * KIB), *q = take(size_t(round % 8 + 1) * KIB);
  meet(2 * round);
  bool leak = (i * 7 + round) % 5 == 0;
  if (!leak) cudaFree(q);
  cudaFree(p);
  meet(2 * round + 1);
  return leak ? q : nullptr;
}
static void threads() {
  std::vector<std::thread> all;
  for (int i = 0; i < THREADS; i++)
    all.emplace_back([i] {
      for (int round = 0; round < ROUNDS; round++) cudaFree(work(i, round));
    });
  for (std::thread &t : all) t.join();
}

// Freed by another thread: in time, and too late.
static std::atomic<char *> handed;
GPUMEMPROF_NO_LEAK static void others_free(bool in_time) {
  handed = take(9 * KIB);
  if (in_time)
    while (handed) std::this_thread::yield();
}
static void freed_elsewhere() {
  std::thread other([] {
    for (int i = 0; i < 2; i++) {
      while (!handed) std::this_thread::yield();
      cudaFree(handed);
      handed = nullptr;
    }
  });
  others_free(true);
  while (handed) std::this_thread::yield();
  others_free(false);
  other.join();
}

// ---- work handed over ----

static std::atomic<int> stage;
static void wait_for(int n) {
  while (stage < n) std::this_thread::yield();
}
static void job(gpumemprof_context *context, int n) {
  GPUMEMPROF_ATTACH(context);
  gpumemprof_context_release(context);
  char *p = take(12 * KIB);
  stage++;
  wait_for(2); // both hold theirs
  if (n) cudaFree(p);
  else keep(p);
  stage++;
  if (!n) {
    wait_for(5); // the scope has ended
    drop();
    cudaFree(take(KIB)); // its path goes on: NO_ALLOC counts it
    stage++;
  }
}
GPUMEMPROF_BUDGET("24KiB")
GPUMEMPROF_NO_LEAK GPUMEMPROF_NO_ALLOC static void hand_over(std::vector<std::thread> &threads,
                                                             size_t own) {
  char *mine = own ? take(own) : nullptr;
  for (int n = 0; n < 2; n++) threads.emplace_back(job, gpumemprof_context_capture(), n);
  wait_for(4);
  cudaFree(mine);
}
static void delegated(size_t own) {
  std::vector<std::thread> threads;
  hand_over(threads, own);
  stage++;
  wait_for(6);
  for (std::thread &t : threads) t.join();
}

// ---- graphs and fibers ----

GPUMEMPROF_NO_LEAK GPUMEMPROF_NO_ALLOC static void launch(cudaGraphExec_t exec) {
  cudaGraphLaunch(exec, nullptr);
}
static cudaGraphExec_t graph(cudaStream_t stream, bool frees, void **p) {
  cudaGraph_t g;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  cudaMallocAsync(p, 10 * KIB, stream);
  if (frees) cudaFreeAsync(*p, stream);
  cudaStreamEndCapture(stream, &g);
  cudaGraphInstantiate(&exec, g, 0);
  cudaGraphDestroy(g);
  return exec;
}
static void graphs() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  void *p, *q;
  cudaGraphExec_t frees = graph(stream, true, &p), leaves = graph(stream, false, &q);
  for (int i = 0; i < 3; i++) launch(frees);
  launch(leaves);
  cudaFree(q);
}

static ucontext_t fiber_contexts[2], home;
GPUMEMPROF_NO_LEAK GPUMEMPROF_BUDGET("30KiB") static void turns(int i) { // both are in it by turns
  char *p = take(size_t(20 + 10 * i) * KIB);
  swapcontext(&fiber_contexts[i], &fiber_contexts[1 - i]);
  if (i) keep(take(KIB));
  cudaFree(p);
}
static void fiber(int i) {
  turns(i);
  swapcontext(&fiber_contexts[i], i ? &home : &fiber_contexts[1]);
}
static void fibers() {
  static char stacks[2][128 * KIB];
  for (int i = 0; i < 2; i++) {
    getcontext(&fiber_contexts[i]);
    fiber_contexts[i].uc_stack.ss_sp = stacks[i];
    fiber_contexts[i].uc_stack.ss_size = sizeof stacks[i];
    makecontext(&fiber_contexts[i], reinterpret_cast<void (*)()>(fiber), 1, i);
  }
  swapcontext(&home, &fiber_contexts[0]);
  drop();
}

// ---- every way out ----

GPUMEMPROF_BUDGET("4KiB") GPUMEMPROF_NO_LEAK static void throws(size_t bytes) {
  keep(take(bytes));
  throw std::runtime_error("out");
}
static jmp_buf back;
GPUMEMPROF_BUDGET("4KiB") GPUMEMPROF_NO_LEAK static void jumps(size_t bytes) {
  GPUMEMPROF_SCOPE_NO_ALLOC("jumped over");
  keep(take(bytes));
  longjmp(back, 1);
}
GPUMEMPROF_BUDGET("4KiB") GPUMEMPROF_NO_LEAK static void thread_ends(size_t bytes) {
  keep(take(bytes));
  pthread_exit(nullptr);
}
static void ways_out() {
  for (size_t bytes : {4 * KIB, 5 * KIB}) {
    try {
      throws(bytes);
    } catch (const std::exception &) {
    }
    drop();
    if (!setjmp(back)) jumps(bytes);
    drop();
    std::thread(thread_ends, bytes).join();
    drop();
  }
}

// ---- ends with scopes open ----

GPUMEMPROF_BUDGET("10KiB")
GPUMEMPROF_NO_LEAK GPUMEMPROF_NO_ALLOC static void ends_inside(const char *way, size_t bytes) {
  keep(take(bytes));
  if (!strcmp(way, "killed")) raise(SIGKILL);
  exit(3);
}
GPUMEMPROF_NO_LEAK static bool forks_inside() { // both come out of it
  char *p = take(4 * KIB);
  pid_t child = fork();
  if (!child) {
    keep(take(2 * KIB));
    return true;
  }
  int status;
  waitpid(child, &status, 0);
  if (status) abort();
  cudaFree(p);
  return false;
}
static void forks() {
  if (forks_inside()) exit(0);
  over(true);
  pid_t child = fork();
  if (!child) {
    leaves(2);
    exact();
    exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  if (status) abort();
}

// ---- figures that a reset begins, and a pause ----

GPUMEMPROF_BUDGET("64KiB") static void over_once(size_t bytes) {
  cudaFree(take(bytes));
}
GPUMEMPROF_NO_ALLOC static void allocates_once() {
  cudaFree(take(8 * KIB));
}
GPUMEMPROF_NO_LEAK static void resets_inside() {
  keep(take(5 * KIB));
  keep(take(3 * KIB));
  gpumemprof_reset();
  drop();
}
GPUMEMPROF_BUDGET("64KiB") GPUMEMPROF_NO_LEAK static void while_paused(size_t bytes) {
  keep(take(bytes));
  if (bytes < 64 * KIB) drop();
}
static void reset() {
  over_once(96 * KIB);
  allocates_once();
  resets_inside();
  over_once(16 * KIB);
  gpumemprof_pause();
  while_paused(128 * KIB);
  gpumemprof_resume();
  while_paused(8 * KIB);
}

int main(int argc, char **argv) {
  const char *part = argc > 1 ? argv[1] : "";
  puts(part);
  fflush(stdout);
  if (!strcmp(part, "single")) single();
  if (!strcmp(part, "blocks")) outer_kept(), blocks();
  if (!strcmp(part, "recursion")) recursion();
  if (!strcmp(part, "deep")) deep();
  if (!strcmp(part, "threads")) threads();
  if (!strcmp(part, "freed elsewhere")) freed_elsewhere();
  if (!strcmp(part, "delegated")) delegated(argc > 2 ? 2 * KIB : 0);
  if (!strcmp(part, "graphs")) graphs();
  if (!strcmp(part, "reset")) reset();
  if (!strcmp(part, "fibers")) fibers();
  if (!strcmp(part, "ways out")) ways_out();
  if (!strcmp(part, "killed") || !strcmp(part, "exit"))
    ends_inside(part, argc > 2 ? 11 * KIB : KIB);
  if (!strcmp(part, "fork")) forks();
  return 7;
}
