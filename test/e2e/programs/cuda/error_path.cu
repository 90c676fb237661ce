// error_path.cu WAY - load() frees what it allocates, but not where its second allocation fails.
#include <cstring>
#include <cuda_runtime.h>

static bool make(void **p, size_t bytes) {
  return cudaMalloc(p, bytes) == cudaSuccess;
}

__attribute__((noinline)) static bool load(size_t more, bool frees) {
  void *a = nullptr, *b = nullptr;
  if (!make(&a, 1 << 20)) return false; // @a
  if (cudaMalloc(&b, more)) {           // @b
    if (frees) cudaFree(a);
    return false;
  }
  cudaMemset(a, 0, 1 << 20);
  cudaFree(b);
  cudaFree(a);
  return true;
}

int main(int argc, char **argv) {
  bool frees = argc > 1 && !strcmp(argv[1], "frees");
  int done = 0;
  for (int i = 0; i < 8; i++) done += load(i % 3 == 2 ? (size_t)1 << 40 : 1 << 16, frees);
  return done != 6;
}
