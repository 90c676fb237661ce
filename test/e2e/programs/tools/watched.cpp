// A program that top shows while it runs: it does what a line on its input says, says "done" and
// waits, so that each refresh finds it at a known place. Three threads have a scope open all the
// time.
//   hold N KIB: N blocks more    drop N: frees the oldest    churn N KIB: allocates and frees N
//   times enter: a scope inside (until leave)    once KIB: a line that allocates one block    end,
//   die
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <deque>
#include <gpumemprof/gpumemprof.h>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

static std::deque<char *> held;
static std::mutex lock;
static std::condition_variable changed;
static unsigned ready;
static bool over;

__attribute__((noinline)) static void hold(unsigned count, size_t bytes) {
  for (unsigned i = 0; i < count; i++) {
    char *block;
    cudaMalloc(reinterpret_cast<void **>(&block), bytes);
    held.push_back(block);
  }
}

__attribute__((noinline)) static void drop(unsigned count) {
  for (unsigned i = 0; i < count && !held.empty(); i++) {
    cudaFree(held.front());
    held.pop_front();
  }
}

__attribute__((noinline)) static void churn(unsigned count, size_t bytes) {
  for (unsigned i = 0; i < count; i++) {
    char *scratch;
    cudaMalloc(reinterpret_cast<void **>(&scratch), bytes);
    cudaFree(scratch);
  }
}

__attribute__((noinline)) static void once(size_t bytes) {
  char *single;
  cudaMalloc(reinterpret_cast<void **>(&single), bytes);
}

static void wait_for_the_end() {
  std::unique_lock<std::mutex> mine(lock);
  ready++;
  changed.notify_all();
  changed.wait(mine, [] { return over; });
}

__attribute__((noinline)) static void worker(unsigned number) {
  char *own, *spare;
  cudaMalloc(reinterpret_cast<void **>(&own), (number + 1) * 1048576);
  cudaMalloc(reinterpret_cast<void **>(&spare), 2097152);
  cudaFree(spare);
  wait_for_the_end();
  cudaFree(own);
}

// False: the program is to end.
__attribute__((noinline)) static bool stage(const char *begun) {
  char *mine, word[32];
  unsigned count = 0, kib = 0;
  cudaMalloc(reinterpret_cast<void **>(&mine), 65536);
  std::puts(begun);
  bool goes_on = true;
  for (char line[128]; goes_on && std::fgets(line, sizeof line, stdin);) {
    int words = std::sscanf(line, "%31s %u %u", word, &count, &kib);
    if (!std::strcmp(word, "hold")) hold(count, size_t(kib) << 10);
    else if (!std::strcmp(word, "drop")) drop(count);
    else if (!std::strcmp(word, "churn")) churn(count, size_t(kib) << 10);
    else if (!std::strcmp(word, "once")) once(size_t(count) << 10);
    else if (!std::strcmp(word, "reset")) gpumemprof_reset();
    else if (!std::strcmp(word, "die")) _exit(3);
    else if (words < 1 || !std::strcmp(word, "leave") || !std::strcmp(word, "end")) break;
    if (std::strcmp(word, "enter")) std::puts("done");
    else if ((goes_on = stage("done"))) std::puts("done"); // it has ended
    word[0] = 0;
  }
  cudaFree(mine);
  return goes_on && !std::strcmp(word, "leave");
}

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 3; i++) {
    threads.emplace_back(worker, i);
    std::unique_lock<std::mutex> mine(lock);
    changed.wait(mine, [i] { return ready == i + 1; });
  }
  if (stage("ready")) std::puts("done");
  {
    std::unique_lock<std::mutex> mine(lock);
    over = true;
    changed.notify_all();
  }
  for (auto &thread : threads) thread.join();
  drop(1000000);
}
