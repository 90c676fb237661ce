// Wrong calls and calls that fail: the program gets the same answers as without a profiler, which
// it prints, and the figures are those of the calls that succeeded. Written so that any allocation
// may fail (the simulated device's option fail=N).
#include "expect.h"
#include <cstdint>
#include <cuda.h>
#include <cuda_runtime.h>

static unsigned long long allocated, freed, live, peak, host_allocated, host_freed, host_live,
    host_peak;

static void took(unsigned long long bytes, bool host = false) {
  (host ? host_allocated : allocated) += bytes;
  unsigned long long &now = host ? host_live : live, &most = host ? host_peak : peak;
  now += bytes;
  if (now > most) most = now;
}
static void gave(unsigned long long bytes, bool host = false) {
  (host ? host_freed : freed) += bytes;
  (host ? host_live : live) -= bytes;
}

// Prints a call's answer; true when it succeeded.
static bool said(const char *what, int result) {
  std::printf("%s %d\n", what, result);
  (void)cudaGetLastError();
  return result == 0;
}
#define TRY(call) said(#call, (int)(call))

int main() {
  void *p = nullptr, *q = nullptr;
  CUdeviceptr d = 0;
  size_t pitch = 0;
  char on_stack[64];
  cudaPitchedPtr pitched = {};
  cudaStream_t stream = nullptr;
  TRY(cudaFree(nullptr));
  // Sizes.
  if (TRY(cudaMalloc(&p, 0)) && p) return 4;
  TRY(cudaMalloc(&p, SIZE_MAX));
  TRY(cudaMalloc(nullptr, 100));
  TRY(cudaMallocManaged(&p, 0));
  TRY(cudaMallocHost(&q, SIZE_MAX));
  TRY(cudaMallocPitch(&p, &pitch, SIZE_MAX / 2, 3));
  TRY(cudaMalloc3D(&pitched, make_cudaExtent(SIZE_MAX / 4, 1000, 1000)));
  TRY(cuMemAlloc(&d, 0));
  TRY(cuMemAlloc(&d, SIZE_MAX));
  TRY(cudaMallocAsync(&p, SIZE_MAX, stream));
  // Frees.
  TRY(cudaFree(on_stack));
  TRY(cudaFreeHost(on_stack));
  TRY(cudaHostUnregister(on_stack));
  TRY(cuMemFree((CUdeviceptr)(uintptr_t)on_stack));
  if (TRY(cudaMalloc(&p, 1 * MIB))) {
    took(1 * MIB);
    TRY(cudaFree((char *)p + 512));
    TRY(cudaFreeHost(p));
    if (TRY(cudaFree(p))) gave(1 * MIB);
    TRY(cudaFree(p)); // twice
    TRY(cuMemFree((CUdeviceptr)(uintptr_t)p));
  }
  if (TRY(cudaMallocHost(&q, 10000))) {
    took(10000, true);
    TRY(cudaFree(q));
    if (TRY(cudaFreeHost(q))) gave(10000, true);
  }
  // Pools.
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool;
  if (TRY(cudaMemPoolCreate(&pool, &props))) {
    if (TRY(cudaMallocFromPoolAsync(&p, 2 * MIB, pool, stream))) {
      took(2 * MIB);
      TRY(cudaFreeAsync((char *)p + 512, stream));
      if (TRY(cudaFreeAsync(p, stream))) gave(2 * MIB);
    }
    TRY(cudaStreamSynchronize(stream));
    TRY(cudaMemPoolDestroy(pool));
  }
  // Virtual memory.
  CUmemAllocationProp physical = {};
  physical.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  physical.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemGenericAllocationHandle handle = 0;
  TRY(cuMemCreate(&handle, 4097, &physical, 0));
  TRY(cuMemCreate(&handle, 0, &physical, 0));
  if (TRY(cuMemCreate(&handle, 4 * MIB, &physical, 0))) {
    took(4 * MIB);
    TRY(cuMemMap((CUdeviceptr)(uintptr_t)on_stack, 4 * MIB, 0, handle, 0));
    if (TRY(cuMemRelease(handle))) gave(4 * MIB);
  }
  // Graphs.
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  if (TRY(cudaGraphCreate(&graph, 0))) {
    cudaGraphNode_t node;
    cudaMemAllocNodeParams params = {};
    params.poolProps = props;
    TRY(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params)); // 0 bytes
    params.bytesize = 8 * MIB;
    bool added = TRY(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
    TRY(cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, on_stack));
    if (TRY(cudaGraphInstantiate(&exec, graph, 0))) {
      if (TRY(cudaGraphLaunch(exec, stream)) && added) {
        took(8 * MIB);
        TRY(cudaGraphLaunch(exec, stream)); // still live
        if (TRY(cudaFreeAsync(params.dptr, stream))) gave(8 * MIB);
      }
      TRY(cudaStreamSynchronize(stream));
      TRY(cudaGraphExecDestroy(exec));
    }
    TRY(cudaGraphDestroy(graph));
  }
  // Arrays.
  cudaArray_t array;
  cudaChannelFormatDesc wrong = {32, 0, 32, 0, cudaChannelFormatKindFloat},
                        one = cudaCreateChannelDesc<float>();
  TRY(cudaMallocArray(&array, &wrong, 10, 10));
  TRY(cudaMallocArray(&array, &one, 1u << 30, 1u << 30));
  if (TRY(cudaMallocArray(&array, &one, 64, 64))) {
    took(4 * 64 * 64);
    if (TRY(cudaFreeArray(array))) gave(4 * 64 * 64);
  }
  expect e;
  e.device(0, allocated, freed, peak);
  e.device(-1, host_allocated, host_freed, host_peak);
  return 0;
}
