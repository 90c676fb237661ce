// The history is switched while the program runs. The first argument says which case.
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static char *take(size_t bytes) {
  char *p = nullptr;
  cudaMalloc(&p, bytes);
  return p;
}

// Each block has its number of bytes, so that an event is known by them.
static void parts() {
  std::vector<char *> old;
  for (size_t i = 1; i <= 200; i++) old.push_back(take(1000 + i)); // more than are timed
  int on = gpumemprof_history("all");
  for (size_t i = 1; i <= 100; i++) {
    char *p = take(2000 + i);
    cudaFree(old[i]);
    if (i % 2) cudaFree(p);
  }
  take(1ull << 50);
  int off = gpumemprof_history("off");
  for (size_t i = 1; i <= 50; i++) cudaFree(take(3000 + i));
  int repeated = gpumemprof_history("all");
  for (size_t i = 1; i <= 5; i++) take(4000 + i);
  gpumemprof_history("off");
  std::printf("%d %d %d\n", on, off, repeated);
}

static void from_the_start() {
  gpumemprof_history("ring"), gpumemprof_history("all");
  for (size_t i = 1; i <= 100; i++)
    if (char *p = take(i); i % 2) cudaFree(p);
}

static void ring() { // the option keeps 1000
  gpumemprof_history("ring");
  for (size_t i = 0; i < 100000; i++) cudaFree(take(512));
}

static void threads() {
  std::atomic<int> working{4};
  std::vector<std::thread> pool;
  for (int n = 0; n < 4; n++)
    pool.emplace_back([&] {
      for (int i = 0; i < 6000; i++) {
        char *a = take(100), *b = take(200);
        cudaFree(a), cudaFree(b);
      }
      working--;
    });
  for (const char *mode = "all"; working; mode = *mode == 'a'   ? "off"
                                                 : *mode == 'o' ? "ring"
                                                                : "all")
    gpumemprof_history(mode), std::this_thread::yield();
  for (std::thread &one : pool) one.join();
}

static void forked() {
  take(1);
  gpumemprof_history("all");
  take(2);
  pid_t child = fork();
  for (size_t i = 0; i < 100; i++) cudaFree(take(child ? 3 : 4));
  if (child) waitpid(child, nullptr, 0);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  if (!std::strcmp(mode, "parts")) parts();
  if (!std::strcmp(mode, "start")) from_the_start();
  if (!std::strcmp(mode, "ring")) ring();
  if (!std::strcmp(mode, "threads")) threads();
  if (!std::strcmp(mode, "fork")) forked();
  if (!std::strcmp(mode, "wrong")) {
    int null = gpumemprof_history(nullptr), other = gpumemprof_history("everything");
    std::printf("%d %d %d\n", null, other, gpumemprof_history("off"));
    take(1);
  }
  if (!std::strncmp(mode, "reset", 5)) { // with nothing before it, or what only a counter tells of
    if (!std::strcmp(mode, "reset failed")) take(1ull << 50);
    gpumemprof_reset();
    gpumemprof_history("all");
    take(1);
  }
  if (!std::strcmp(mode, "unchanged")) {
    take(1);
    gpumemprof_history("all");
    take(2);
  }
  return 0;
}
