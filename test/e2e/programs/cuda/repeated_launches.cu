// repeated_launches.cu WAY [COUNT] - launches that repeat earlier ones, or nearly so, in one of the
// ways that are listed at the end. Prints each launch that has to be recorded: its line, kernel,
// allocation clock and values.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <thread>
#include <unistd.h>

#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

struct pair {
  char tag;
  float *first, *second;
};
__global__ void none(int) {}
__global__ void one(float *) {}
__global__ void three(int, pair, long) {}
__global__ void four(float *, float *, float *, float *) {}
__global__ void eight(float *, float *, float *, float *, float *, float *, float *, float *) {}
__global__ void nine(pair, pair, pair, pair, float *) {}
template <class T> __global__ void two(const T *, char, T *) {}

static unsigned long long events; // allocations and frees so far
static float *block[9];

static float *allocate() {
  float *p = nullptr;
  events += cudaMalloc(&p, 4096) == cudaSuccess;
  return p;
}

static void release(float *p) {
  events += cudaFree(p) == cudaSuccess;
}

static unsigned long long number(const void *p) {
  return (unsigned long long)p;
}
static unsigned long long number(long n) {
  return (unsigned long long)n;
}

template <class... Value> static void note(int line, const char *kernel, Value... values) {
  printf("%d %s %llu", line, kernel, events);
  for (unsigned long long value : std::initializer_list<unsigned long long>{number(values)...})
    printf(" %llu", value);
  puts("");
}

// Each kernel, with its values as they were, and with one of them changed once between.
static void values() {
  for (int changed = 0; changed < 9; changed++)
    for (int i = 0; i < 6; i++) {
      float *b[9];
      for (int n = 0; n < 9; n++) b[n] = block[n == changed && i == 3 ? (n + 1) % 9 : n];
      none<<<1, 1>>>(i), note(__LINE__, "none");
      one<<<1, 1>>>(b[0]), note(__LINE__, "one", b[0]);
      two<float><<<1, 1>>>(b[0], 'x', b[1]), note(__LINE__, "two<float>", b[0], b[1]);
      three<<<1, 1>>>(i, pair{'y', b[0], b[1]}, changed + i / 5);
      note(__LINE__ - 1, "three", b[0], b[1], long(changed + i / 5));
      four<<<1, 1>>>(b[0], b[1], b[2], b[3]), note(__LINE__, "four", b[0], b[1], b[2], b[3]);
      four<<<1, 1>>>(b[3], b[2], b[1], b[0]), note(__LINE__, "four", b[3], b[2], b[1], b[0]);
      eight<<<1, 1>>>(b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
      note(__LINE__ - 1, "eight", b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
      pair p[4] = {{'1', b[0], b[1]}, {'2', b[2], b[3]}, {'3', b[4], b[5]}, {'4', b[6], b[7]}};
      nine<<<1, 1>>>(p[0], p[1], p[2], p[3], b[8]);
      note(__LINE__ - 1, "nine", b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8]);
    }
}

// Through several chunks of the history.
static void many() {
  for (int i = 0; i < 20000; i++) {
    one<<<1, 1>>>(block[4]), note(__LINE__, "one", block[4]);
    four<<<1, 1>>>(block[0], block[1], block[2], block[3]);
    note(__LINE__ - 1, "four", block[0], block[1], block[2], block[3]);
  }
}

static void streams() {
  cudaStream_t stream[3] = {};
  for (int i = 1; i < 3; i++) cudaStreamCreate(&stream[i]);
  for (int i = 0; i < 60; i++) {
    one<<<1, 1, 0, stream[i / 5 % 3]>>>(block[i / 20]);
    note(__LINE__ - 1, "one", block[i / 20]);
  }
}

// The addresses are the same, and the blocks are others.
static void frees() {
  for (int i = 0; i < 20; i++) {
    auto change = [] { release(block[0]), block[0] = allocate(); };
    if (i % 10 == 4) change();
    if (i % 10 == 9) std::thread(change).join();
    one<<<1, 1>>>(block[0]), note(__LINE__, "one", block[0]);
  }
}

static void switched() {
  for (int i = 0; i < 40; i++) {
    if (i % 20 == 10) gpumemprof_history("off");
    if (i % 20 == 0) gpumemprof_history(i ? "all" : "ring");
    one<<<1, 1>>>(block[0]);
    if (i % 20 < 10) note(__LINE__ - 1, "one", block[0]);
  }
}

static float *prepared(float *p) {
  two<float><<<1, 1>>>(p, 'p', p), note(__LINE__, "two<float>", p, p);
  return p;
}

#if defined(__NVCC__) // writes a launch for its host compiler, with the line of its beginning
#define ONE_LINE_BEFORE 1
#else
#define ONE_LINE_BEFORE 0
#endif

static void nested() {
  void (*pointer)(float *) = one;
  for (int i = 0; i < 10; i++) {
    // clang-format off
    one
        <<<1,
           1>>>(prepared(block[0]));
    // clang-format on
    note(__LINE__ - 3 - ONE_LINE_BEFORE, "one", block[0]);
    one<<<1, 1>>>((two<float><<<1, 1>>>(block[1], 'n', block[2]),
                   note(__LINE__ - 1, "two<float>", block[1], block[2]), block[3]));
    note(__LINE__ - 2, "one", block[3]);
    one<<<1, 1>>>(i % 2 ? prepared(block[1]) : block[2]);
    note(__LINE__ - 1, "one", block[i % 2 ? 1 : 2]);
  }
  for (int i = 0; i < 10; i++) {
    pointer<<<1, 1>>>(block[i / 5]), note(__LINE__, "one", block[i / 5]);
    one<<<1, 1>>>(block[i / 5]), note(__LINE__, "one", block[i / 5]);
  }
}

// One launch after the other for each instruction of the program's and of the profiler's code.
static struct {
  const char *begin, *end;
} code[2];
static volatile unsigned long handled;

static void find_code(const char *name, int i) {
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) {
    char *begin, *end;
    if (strstr(line, " r-xp ") && strstr(line, name) &&
        sscanf(line, "%p-%p", (void **)&begin, (void **)&end) == 2)
      code[i].begin = begin, code[i].end = end;
  }
  fclose(maps);
}

static void launch_in_handler(int, siginfo_t *, void *context) {
#if defined(__x86_64__)
  const char *at = (const char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  bool in_cuda = true; // which holds locks
  for (auto &c : code) in_cuda &= at < c.begin || at >= c.end;
  if (in_cuda) return;
  float *p = nullptr;
  unsigned long turn = handled;
  handled = turn + 1;
  if (turn % 307 == 3 && !cudaMalloc(&p, 512)) cudaFree(p);
  four<<<1, 1>>>(block[5], block[6], block[7], block[turn % 5]);
  if (turn % 3) one<<<1, 1>>>(block[8]);
#endif
}

static void step(bool on) {
#if defined(__x86_64__)
  unsigned long flags;
  __asm__ volatile("pushfq\n\tpopq %0" : "=r"(flags) : : "memory");
  flags = on ? flags | 256 : flags & ~256ul;
  __asm__ volatile("pushq %0\n\tpopfq" : : "r"(flags) : "memory", "cc");
#endif
}

static void handlers() {
  struct sigaction action = {};
  action.sa_sigaction = launch_in_handler;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
  find_code("/libgpumemprof.so", 0);
  find_code("/repeated_launches", 1);
  for (int i = 0; i < 400; i++) {
    float *p = block[i / 10 % 2];
    step(true);
    four<<<1, 1>>>(block[0], block[1], p, block[3]);
    step(false);
    note(__LINE__ - 2, "four", block[0], block[1], p, block[3]);
  }
  fprintf(stderr, "%lu\n", handled);
}

static void stepped() {
  for (int i = 0; i < 9; i++) {
    if (i == 3) raise(SIGTRAP);
    one<<<1, 1>>>(block[i / 6]);
    if (i % 2) two<float><<<1, 1>>>(block[0], 's', block[1]);
  }
  raise(SIGTRAP);
}

static void counted(int count) {
  for (int i = 0; i < count; i++) four<<<1, 1>>>(block[0], block[1], block[2], block[3]);
  _exit(0); // the checksum at the end of the program is not part of a launch
}

int main(int, char **words) {
  for (float *&p : block) p = allocate();
  static const struct {
    const char *name;
    void (*run)();
  } ways[] = {{"values", values},     {"many", many},         {"streams", streams},
              {"frees", frees},       {"switched", switched}, {"nested", nested},
              {"handlers", handlers}, {"stepped", stepped}};
  for (auto &way : ways)
    if (!strcmp(way.name, words[1])) way.run();
  if (!strcmp("counted", words[1])) counted(atoi(words[2]));
}
