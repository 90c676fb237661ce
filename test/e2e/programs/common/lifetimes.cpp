// Blocks of known ages: scratch that is freed at once, a buffer for each step, a ring of the last
// three, frees that fail, and what is kept to the end.
#include <cuda_runtime.h>

static char *take(size_t bytes) {
  char *p = nullptr;
  cudaMalloc(&p, bytes);
  return p;
}

__attribute__((noinline)) static void scratch(size_t bytes) {
  char *p = nullptr;
  cudaMalloc(&p, bytes);
  cudaFree(p);
}

__attribute__((noinline)) static void scratch_or_not(bool keep, char *&kept) {
  char *p = nullptr, *q = nullptr;
  cudaMalloc(&p, 3000);
  if (keep) cudaMalloc(&q, 700), cudaFree(q);
  cudaFree(kept);
  kept = p;
}

__attribute__((noinline)) static void on_stream(cudaStream_t stream, size_t bytes) {
  char *p = nullptr;
  cudaMallocAsync(&p, bytes, stream);
  cudaFreeAsync(p, stream);
}

int main() {
  char *model = take(1 << 20), *ring[3] = {}, *kept = nullptr;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int step = 0; step < 40; step++) {
    char *input = nullptr;
    cudaMalloc(&input, 4096u << step % 5);
    scratch(static_cast<size_t>(512) << step % 9);
    scratch_or_not(step % 3 == 0, kept);
    on_stream(stream, step % 2 ? 1024 : 2048);
    cudaFree(ring[step % 3]);
    cudaMalloc(&ring[step % 3], 10000);
    cudaFree(input);
    if (step % 10 == 0) cudaFree(input); // fails: it is freed already, or never was
  }
  cudaFree(kept);
  for (char *p : ring) cudaFree(p);
  (void)model; // leaks
  return 0;
}
