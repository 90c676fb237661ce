// kernels.cu - CUDA as programs write it: kernels, templates, variables in device memory, shared
// memory, streams, ways to launch. It says how each call ended (without_toolkit.py knows the
// lines).
#include "kernels.h"

#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_fp16.h>

__constant__ float weights[1024];
__device__ int steps[4];

__global__ void __launch_bounds__(256) sum(const float *from, float *to, int n) {
  __shared__ float partial[256];
  extern __shared__ float rest[];
  float mine = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += __ldg(from + i) * weights[i & 1023];
  partial[threadIdx.x] = mine + rest[0];
  __syncthreads();
  for (int offset = 16; offset; offset /= 2) mine += __shfl_down_sync(0xffffffff, mine, offset);
  if (!threadIdx.x) atomicAdd(to, mine + expf(partial[0])), atomicAdd(steps, 1);
}

__global__ void together(__half *p) {
  cooperative_groups::this_grid().sync();
  p[threadIdx.x] = __float2half(1.5f) + p[0];
}

static void say(const char *what, cudaError_t error) {
  printf("%s: %s\n", what, cudaGetErrorString(error));
}

static void launches(float *p, cudaStream_t stream) {
  scale<<<4, 256, 0, stream>>>(p, 2.0f, 1024);
  sum<<<1, 256, 1024, stream>>>(p, p, 1024);
  say("launches", cudaGetLastError());
  __half *h;
  cudaMallocAsync(&h, 2048, stream);
  void *arguments[] = {&h};
  say("cooperative", cudaLaunchCooperativeKernel(together, 1, 32, arguments, 0, stream));
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = 1;
  config.stream = stream;
  say("extended", cudaLaunchKernelEx(&config, scale<double>, nullptr, 2, 0));
  cudaFreeAsync(h, stream);
  sum<<<1, 2000>>>(p, p, 1024);
  printf("2000 threads: %s\n", cudaGetLastError() ? "refused" : "accepted");
}

int main() {
  float host[4] = {1, 2, 3, 4}, back[4] = {};
  int grid = 0, block = 0, blocks = 0;
  kept data(1 << 18);
  say("to symbol", cudaMemcpyToSymbol(weights, host, sizeof host, 16));
  say("from symbol", cudaMemcpyFromSymbol(back, weights, sizeof back, 16));
  printf("%g %g\n", back[0], back[3]);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  launches(data.p, stream);
  int *address = nullptr;
  say("address", cudaGetSymbolAddress(reinterpret_cast<void **>(&address), steps));
  say("set", cudaFuncSetAttribute(sum, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  cudaFuncAttributes attributes;
  say("get", cudaFuncGetAttributes(&attributes, sum));
  say("block size", cudaOccupancyMaxPotentialBlockSize(&grid, &block, sum));
  say("blocks", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale<float>, block, 0));
  printf("%d\n", block && grid % blocks == 0);
  elsewhere(1 << 16);
  say("end", cudaStreamDestroy(stream));
}
