// oversize.cu - blocks that are larger than what is used of them. Compiled with -DLESS=N, and
// -DLESS_OF_NEXT=N, the lines allocate so many bytes less.
#include <cstdio>
#include <cuda_runtime.h>
#include <string>

#include "pages_kernels.h"

#ifndef LESS
#define LESS 0
#endif
#ifndef LESS_OF_NEXT
#define LESS_OF_NEXT 0
#endif

static const size_t page = 4096;

static void use(float *to, size_t count) {
  copy_items<<<(unsigned)(count / 128 + 1), 128>>>(to, to, (int)count);
}

// Of blocks of several sizes, each has its own unused end; a copy of one reaches further than the
// kernels do.
static void one_line() {
  float *from;
  cudaMalloc(&from, 700 * page);
  use(from, 700 * page / 4);
  for (size_t i = 0; i < 4; i++) {
    float *to;
    size_t count = (3 + 100 * i) * page / 4 - 25;
    cudaMalloc(&to, count * 4 + (9 + i) * page + 500 - LESS); // @line
    use(to, count);
    if (i == 2) cudaMemcpy((char *)to + count * 4 + 2 * page, from, page, cudaMemcpyDeviceToDevice);
    use(to, count);
    cudaFree(to);
  }
  use(from, 700 * page / 4);
  cudaFree(from);
}

// The peak is as high with the one as with the other, so that one smaller size alone saves nothing.
static void two_lines() {
  float *first, *next;
  cudaMalloc(&first, 300 * page - LESS); // @first
  use(first, 200 * page / 4);
  cudaFree(first);
  cudaMalloc(&next, 300 * page - LESS_OF_NEXT); // @next
  use(next, 250 * page / 4);
  cudaFree(next);
}

// Memory of pools, in another stream.
static void pool() {
  float *to;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocAsync(&to, 40 * page - LESS, stream); // @pool
  copy_items<<<8, 128, 0, stream>>>(to, to, 1024);
  cudaFreeAsync(to, stream);
  cudaStreamSynchronize(stream);
}

// What is unused before the end cannot be saved by a smaller size, nor can rows that CUDA padded.
static void whole() {
  float *to, *rows;
  size_t pitch;
  cudaMalloc(&to, 40 * page);
  use(to, 1024);
  use(to + 39 * 1024, 1024);
  cudaFree(to);
  cudaMallocPitch(&rows, &pitch, 1000, 300);
  use(rows, 1024);
  cudaFree(rows);
}

int main(int argc, char **argv) {
  std::string way = argc > 1 ? argv[1] : "";
  if (way == "one_line") one_line();
  else if (way == "two_lines") two_lines();
  else if (way == "pool") pool();
  else if (way == "whole") whole();
  else return 1;
}
