// Memory of graphs: nodes added one by one and captured from a stream, freed in the graph, by a
// stream after the launch, by the next launch.
#include "expect.h"
#include <cuda_runtime.h>

static cudaStream_t stream;
static int kept_line;

static cudaGraphExec_t built(size_t bytes, void **kept) {
  cudaGraph_t graph;
  cudaGraphNode_t alloc, free, other;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams params = {};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = bytes;
  CHECK(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &params));
  void *inside = params.dptr;
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeMemAlloc;
  node.alloc.poolProps = params.poolProps;
  node.alloc.bytesize = 2 * bytes;
  CHECK(cudaGraphAddNode(&other, graph, &alloc, nullptr, 1, &node));
  *kept = node.alloc.dptr;
  CHECK(cudaGraphAddMemFreeNode(&free, graph, &alloc, 1, inside));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return exec;
}

static cudaGraphExec_t captured(size_t bytes) {
  cudaGraph_t graph;
  void *p, *q;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&p, bytes, stream));
  kept_line = __LINE__ + 1;
  CHECK(cudaMallocAsync(&q, bytes, stream));
  CHECK(cudaMemsetAsync(p, 0, bytes, stream));
  CHECK(cudaFreeAsync(p, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  CHECK(cudaGraphDestroy(graph));
  return exec;
}

int main() {
  expect e;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  void *kept;
  const size_t n = 4 * MIB;
  cudaGraphExec_t one = built(n, &kept), two = captured(n);
  // Nothing of the two has memory yet.
  for (int i = 0; i < 3; i++) {
    CHECK(cudaGraphLaunch(one, stream)); // n, 2 n, less n
    CHECK(cudaFreeAsync(kept, stream));
  }
  CHECK(cudaGraphLaunch(one, stream));
  if (cudaGraphLaunch(one, stream) == cudaSuccess) return 4; // still live
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(kept));
  for (int i = 0; i < 3; i++)
    CHECK(cudaGraphLaunch(two, stream)); // each frees what the last one left
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(one));
  CHECK(cudaDeviceGraphMemTrim(0));
  // Four launches of 3 n, three of 2 n; the n that the last one left is live.
  e.device(0, 4 * 3 * n + 3 * 2 * n, 4 * 3 * n + 3 * n + 2 * n, 3 * n);
  e.leak(kept_line, n);
  return 0;
}
