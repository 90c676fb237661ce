// uses.cu - operations that use memory, each with a mark (`@name`) by which uses.py knows its line;
// and programs of which a line can be changed so that the peak falls. Compiled with -DEDITED it is.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#include "uses_kernels.h"

__constant__ float factor;

enum { N = 1 << 16, SMALL = N * 4 + 700, LARGE = 2 * SMALL + 300 };

static float *allocate(const char *name, size_t size) {
  float *p = nullptr;
  cudaMalloc(&p, size);
  printf("%s %zx\n", name, (size_t)p);
  return p;
}

static void operations() {
  static float host[N];
  float *a = allocate("a", SMALL), *b = allocate("b", SMALL);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);         // @upload
  cudaMemset(b + 4, 0, 400);                                        // @fill
  for (int i = 0; i < 3; i++) scale<<<N / 256, 256>>>(a, 2, N);     // @scale
  add<<<N / 256, 256, 0, stream>>>(view{b, N, {a + 8, 7}}, a + 16); // @add
  move<float><<<1, 256, 0, stream>>>(a, b, 256);                    // @float
  move<double><<<1, 256>>>((double *)b, (const double *)a, 256);    // @double
  float by = 3;
  int n = 1;
  void *arguments[] = {&b, &by, &n};
  cudaLaunchKernel((const void *)scale, dim3(1), dim3(1), arguments, 0, 0); // @direct
  // CUDA's headers have these as templates, in which the calls have no site.
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  cudaLaunchKernel(scale, dim3(1), dim3(1), arguments);           // @typed
  cudaLaunchKernelEx(&config, scale, a, by, n);                   // @extended
  cudaMemcpyToSymbol(factor, &by, sizeof by);                     // @symbol
  cudaMemcpyAsync(b, a, 512, cudaMemcpyDeviceToDevice, stream);   // @between
  cudaMemcpy2D(host, 64, a, 128, 32, 10, cudaMemcpyDeviceToHost); // @rows
  cudaMemsetAsync(a, 0, 256, stream);                             // @fill_async
  cudaStreamDestroy(stream);                                      // @ends
  cudaFree(a);
  cudaFree(b);
}

static void late_free() {
  float *a = allocate("a", SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
#ifdef EDITED
  cudaFree(a);
#endif
  float *b = allocate("b", LARGE);
  scale<<<N / 256, 256>>>(b, 2, N);
#ifndef EDITED
  cudaFree(a);
#endif
  cudaFree(b);
}

static void early_alloc() {
#ifndef EDITED
  float *a = allocate("a", SMALL);
#endif
  float *b = allocate("b", LARGE);
  scale<<<N / 256, 256>>>(b, 2, N);
  cudaFree(b);
#ifdef EDITED
  float *a = allocate("a", SMALL);
#endif
  scale<<<N / 256, 256>>>(a, 2, N);
  cudaFree(a);
}

// It is passed to a kernel, in a structure, but the kernel does not touch it.
static void unused() {
#ifdef EDITED
  float *a = nullptr;
#else
  float *a = allocate("a", LARGE);
#endif
  float *b = allocate("b", SMALL);
  add<<<N / 256, 256>>>(view{b, N, {a, 1}}, b);
  cudaFree(b);
  cudaFree(a);
}

static void never_freed() {
  float *a = allocate("a", LARGE);
  scale<<<N / 256, 256>>>(a, 2, N);
#ifdef EDITED
  cudaFree(a);
#endif
  float *b = allocate("b", SMALL);
  scale<<<N / 256, 256>>>(b, 2, N);
  cudaFree(b);
}

// What `walk` finds at the address that it loads may be the other block.
static void followed() {
  float *a = allocate("a", SMALL), **list = (float **)allocate("list", 8);
  cudaMemcpy(list, &a, sizeof a, cudaMemcpyHostToDevice);
  float *b = allocate("b", LARGE);
  scale<<<N / 256, 256>>>(b, 2, N);
  walk<<<1, 1>>>(list);
  cudaFree(a);
  cudaFree(b);
  cudaFree(list);
}

// The launch of a graph uses what its nodes use.
static void graph() {
  float *a = allocate("a", SMALL);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  scale<<<N / 256, 256, 0, stream>>>(a, 2, N);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  float *b = allocate("b", LARGE);
  scale<<<N / 256, 256>>>(b, 2, N);
  cudaFree(b);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(a);
}

// Its last use is between the beginning and the end of a capture, where CUDA refuses a free; and it
// is not needed before that.
static void captured() {
  cudaGraph_t graph, none;
  cudaStream_t stream, other;
  cudaStreamCreate(&other);
  cudaStreamCreate(&stream);
#ifndef EDITED
  float *a = allocate("a", SMALL);
#endif
  float *b = allocate("b", LARGE);
  scale<<<N / 256, 256>>>(b, 2, N);
  cudaFree(b);
#ifdef EDITED
  float *a = allocate("a", SMALL);
#endif
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal); // @begin
  cudaStreamEndCapture(other, &none);                          // it fails, and ends none
  scale<<<N / 256, 256, 0, stream>>>(a, 2, N);
  cudaStreamEndCapture(stream, &graph); // @end
#ifdef EDITED
  cudaFree(a);
#endif
  float *c = allocate("c", LARGE);
  scale<<<N / 256, 256>>>(c, 2, N);
  cudaFree(c);
#ifndef EDITED
  cudaFree(a);
#endif
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaStreamDestroy(other);
}

int main(int, char **arguments) {
  static const struct {
    const char *name;
    void (*run)();
  } ways[] = {
      {"operations", operations}, {"late-free", late_free},     {"early-alloc", early_alloc},
      {"unused", unused},         {"never-freed", never_freed}, {"followed", followed},
      {"graph", graph},           {"captured", captured}};
  for (const auto &way : ways)
    if (!strcmp(way.name, arguments[1])) way.run();
}
