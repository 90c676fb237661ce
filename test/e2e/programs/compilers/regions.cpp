// OpenMP regions, loops and tasks: what they do is their function's, at the region's line.
#include <cstdio>
#include <cuda_runtime.h>

static void *tile(size_t bytes) {
  void *p;
  cudaMalloc(&p, bytes);
  return p;
}

template <class T> static void smooth(T **rows, int n) {
#pragma omp parallel for num_threads(4) schedule(static)
  for (int i = 0; i < n; i++) rows[i] = static_cast<T *>(tile(static_cast<size_t>(i + 1) << 10));
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    for (int i = 0; i < n; i++) cudaFree(rows[i]);
  }
}

int main() {
  float *rows[16];
  smooth(rows, 16);
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 3; i++) {
#pragma omp task
    cudaFree(tile(100));
  }
  printf("done 1\n");
  return 0;
}
