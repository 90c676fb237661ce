// uses_kernels.h - the kernels of uses.cu, which include nothing, so that clang makes PTX of them
// where there is no toolkit.
#ifndef USES_KERNELS_H
#define USES_KERNELS_H

struct view {
  float *data;
  int n;
  struct {
    const float *bias;
    unsigned long long seed;
  } more;
};

__global__ void scale(float *x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}

__global__ void add(view out, const float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out.n) out.data[i] += x[i] + (float)out.more.seed;
}

template <class T> __global__ void move(T *to, const T *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
template __global__ void move<float>(float *, const float *, int);
template __global__ void move<double>(double *, const double *, int);

__global__ void walk(float **list) {
  **list = 1;
}

#endif
