// overlaps.cu - the last kernel needs `a` no more, so `c` could have its memory, unless that kernel
// may begin before the one before it has ended. The argument says how it is launched. See
// uses_overlaps.py.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#include "../uses_kernels.h"

enum { N = 1 << 16, BYTES = N * 4 };

static cudaLaunchAttribute programmatic(int allowed) {
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  a.val.programmaticStreamSerializationAllowed = allowed;
  return a;
}

static cudaLaunchAttribute priority() {
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributePriority;
  a.val.priority = 1; // where the other one says that it is allowed
  return a;
}

static const struct way {
  const char *name;
  cudaLaunchAttribute attributes[2];
  unsigned count;
} ways[] = {{"none", {}, 0},
            {"programmatic", {programmatic(1)}, 1},
            {"not_allowed", {programmatic(0)}, 1},
            {"another", {priority()}, 1},
            {"second", {priority(), programmatic(1)}, 2},
            {"behind_the_last", {priority(), programmatic(1)}, 1}};

static cudaLaunchConfig_t config_of(const way &w, cudaStream_t stream) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(N / 256);
  config.blockDim = dim3(256);
  config.stream = stream;
  config.attrs = const_cast<cudaLaunchAttribute *>(w.attributes);
  config.numAttrs = w.count;
  return config;
}

static void by_template(const way &w, cudaStream_t stream, float *to, const float *from) {
  cudaLaunchConfig_t config = config_of(w, stream);
  cudaLaunchKernelEx(&config, move<float>, to, from, (int)N);
}

static void by_arguments(const way &w, cudaStream_t stream, float *to, const float *from) {
  cudaLaunchConfig_t config = config_of(w, stream);
  int n = N;
  void *arguments[] = {&to, &from, &n};
  cudaLaunchKernelExC(&config, (const void *)move<float>, arguments);
}

// A function of the driver that no module has: only what is recorded of the launch matters.
static void by_driver(const way &w, cudaStream_t stream, float *to, const float *from) {
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  config.attrs = (CUlaunchAttribute *)w.attributes;
  config.numAttrs = w.count;
  int n = N;
  void *arguments[] = {&to, &from, &n};
  cuLaunchKernelEx(&config, (CUfunction)move<float>, arguments, nullptr);
}

int main(int, char **arguments) {
  static const struct {
    const char *name;
    void (*launch)(const way &, cudaStream_t, float *, const float *);
  } functions[] = {{"template", by_template}, {"arguments", by_arguments}, {"driver", by_driver}};
  for (const auto &f : functions)
    for (const way &w : ways) {
      if (strcmp(f.name, arguments[1]) || strcmp(w.name, arguments[2])) continue;
      cudaStream_t stream = nullptr;
#ifndef DEFAULT_STREAM
      cudaStreamCreate(&stream);
#endif
      float *a, *b, *c, result;
      cudaMalloc(&a, BYTES);
      cudaMalloc(&b, BYTES);
      cudaMalloc(&c, BYTES);
      scale<<<N / 256, 256, 0, stream>>>(a, 2, N);
      move<float><<<N / 256, 256, 0, stream>>>(b, a, N);
      f.launch(w, stream, c, b);
      cudaMemcpyAsync(&result, c, sizeof result, cudaMemcpyDeviceToHost, stream);
      cudaStreamSynchronize(stream);
      cudaFree(a);
      cudaFree(b);
      cudaFree(c);
    }
}
