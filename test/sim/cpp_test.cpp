// cpp_test.cpp - the conveniences cuda_runtime.h has for C++: typed pointers, default arguments.
#include "check.h"

#include <cuda_runtime.h>

TEST(typed_pointers_need_no_cast) {
  float *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr, *e = nullptr;
  size_t pitch = 0;
  cudaStream_t stream;
  OK(cudaMalloc(&a, 16 * sizeof(float)));
  OK(cudaMallocManaged(&b, 16 * sizeof(float)));
  OK(cudaMallocHost(&c, 16 * sizeof(float)));
  OK(cudaMallocPitch(&d, &pitch, 16, 16));
  OK(cudaStreamCreate(&stream));
  OK(cudaMallocAsync(&e, 16 * sizeof(float), stream));
  for (int i = 0; i < 16; i++) c[i] = float(i);
  OK(cudaMemcpyAsync(a, c, 16 * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(b, a, 16 * sizeof(float), cudaMemcpyDefault));
  OK(cudaDeviceSynchronize());
  CHECK_EQ(b[7], 7);
  OK(cudaFree(a));
  OK(cudaFree(b));
  OK(cudaFreeHost(c));
  OK(cudaFree(d));
  OK(cudaFreeAsync(e, stream));
}

TEST(pools_are_an_overload) {
  cudaMemPool_t pool;
  cudaStream_t stream;
  int *p = nullptr;
  OK(cudaStreamCreate(&stream));
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  OK(cudaMallocAsync(&p, 64, pool, stream));
  OK(cudaFreeAsync(p, stream));
}

TEST(vectors_and_dimensions_have_their_helpers) {
  float4 v = make_float4(1, 2, 3, 4);
  dim3 grid(7);
  cudaExtent extent = make_cudaExtent(1, 2, 3);
  CHECK_EQ(v.w, 4);
  CHECK_EQ(grid.x + grid.y + grid.z, 9);
  CHECK_EQ(extent.depth, 3);
  CHECK_EQ(alignof(double2), 16);
  CHECK_EQ(cudaCreateChannelDesc<float4>().w, 32);
}

TEST(events_can_be_created_with_flags) {
  cudaEvent_t event;
  OK(cudaEventCreate(&event, cudaEventDisableTiming));
  OK(cudaEventRecord(event));
}
