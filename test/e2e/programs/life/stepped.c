/* What stepper.c runs instruction by instruction: every kind of event once where it is new and once
 * where it is not, through scopes that move memory. */
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
#include <signal.h>

static void *allocate(size_t bytes) {
  void *block = 0;
  cudaMalloc(&block, bytes);
  return block;
}

static void temporary(size_t bytes) {
  void *block = allocate(bytes);
  cudaFree(block);
}

static void *deep(int depth) {
  if (depth) {
    void *block = deep(depth - 1);
    temporary(1000);
    return block;
  }
  return allocate(5000);
}

static void round_of_events(size_t bytes) {
  void *pinned = 0, *later = 0, *managed = 0;
  void *first = allocate(bytes);
  temporary(bytes * 2);
  void *second = deep(2);
  cudaMalloc(&later, (size_t)1 << 60); /* fails */
  cudaMallocHost(&pinned, 3000);
  cudaMallocManaged(&managed, 7000, cudaMemAttachGlobal);
  cudaMallocAsync(&later, bytes, 0);
  {
    GPUMEMPROF_SCOPE("frees");
    cudaFree(first);
    cudaFree(pinned); /* fails, for it is of another kind */
    cudaFreeHost(pinned);
  }
  cudaFreeAsync(later, 0);
  cudaFree(managed);
  cudaFree((void *)4096); /* fails, for nothing is there */
  cudaFree(second);
}

int main(void) {
  void *kept = allocate(100);
  raise(SIGTRAP);
  for (size_t i = 0; i < 2; i++) round_of_events(4096 + 512 * i);
  raise(SIGTRAP);
  cudaFree(kept);
  return 0;
}
