// Twelve steps, each with a leak on two paths, a cache that fills up in the first, buffers that
// come and go, one that grows and shrinks, and a leak of every third step.
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

static char *take(size_t bytes) {
  char *p = nullptr;
  cudaMalloc(&p, bytes);
  return p;
}

__attribute__((noinline)) static void leak(size_t bytes) {
  char *leaked = nullptr;
  cudaMalloc(&leaked, bytes);
}

__attribute__((noinline)) static void remember(int step) {
  char *cached = nullptr;
  if (step < 4) cudaMalloc(&cached, 50000);
}

__attribute__((noinline)) static void history(int step) {
  static char *kept[100];
  char *log = nullptr;
  if (step % 3 == 2) cudaMalloc(&log, 7000);
  kept[step] = log;
}

__attribute__((noinline)) static void resize(int step) {
  static char *buffer;
  cudaFree(buffer);
  cudaMalloc(&buffer, static_cast<size_t>(1000 * (step % 4 + 1)));
}

__attribute__((noinline)) static void once(int step) {
  char *late = nullptr;
  if (step == 9) cudaMalloc(&late, 1 << 20);
}

static void leak_more(int step) {
  leak(static_cast<size_t>(512 * (step + 1)));
}
static void leak_steadily(int step) {
  leak(2048 + static_cast<size_t>(step));
}

int main() {
  char *model = take(1 << 20), *steady = nullptr;
  for (int step = 0; step < 12; step++) {
    char *scratch = take(3000);
    step % 2 ? leak_steadily(step) : leak_more(step);
    remember(step);
    history(step);
    resize(step);
    once(step);
    cudaFree(steady);
    cudaMalloc(&steady, 9000);
    cudaFree(scratch);
    gpumemprof_step();
  }
  cudaFree(model);
  leak(1 << 22); // after the last step: no step's
  return 0;
}
