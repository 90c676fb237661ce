// Kernels of pages.cu: each touches some of the pages of 4 KiB of what it is given, and pages.cu
// knows which.
#pragma once

__global__ void copy_items(float *to, const float *from, int count) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = from[i];
}

__global__ void strided(float *to, const float *from, int count, int stride) {
  for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count;
       i += (int)(gridDim.x * blockDim.x))
    to[(long)i * stride] += from[i];
}

__global__ void columns(float *sums, const float *matrix, int rows, int width) {
  int column = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  float sum = 0;
  for (int row = 0; row < rows; row++) sum += matrix[(long)row * width + column];
  sums[column] = sum;
}

__global__ void neighbours(float *to, const float *from, int first, int end) {
  int i = first + (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < end) to[i] = from[i - 1] + from[i] + from[i + 1];
}

__global__ void gather(float *to, const float *from, const int *index, int count) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = from[index[i]];
}

__global__ void follow(float *const *table, int entry,
                       int item) { // a pointer that it finds in memory
  table[entry][item] = 1;
}

__global__ void count_values(unsigned *bins, const unsigned *values, int count) {
  for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count;
       i += (int)(gridDim.x * blockDim.x))
    __atomic_fetch_add(&bins[values[i]], 1u, __ATOMIC_RELAXED);
}

struct item {
  char bytes[10000];
};
__global__ void copy_structure(item *to, const item *from) {
  if (threadIdx.x == 0) __builtin_memcpy(to, from, sizeof *to);
}

__device__ float find_in(const float *from, float least) { // stops early
  for (int i = 0;; i++)
    if (from[i] >= least) return (float)i;
}
__global__ void search(float *to, const float *from, float least) {
  *to = find_in(from, least);
}

__global__ void hidden(float *to) { // what it does there is not seen
#ifdef __CUDA_ARCH__
  asm volatile("st.global.f32 [%0], %1;" ::"l"(to), "f"(1.0f) : "memory");
#endif
}
