/* graph_memory_test.c - memory that graphs allocate. Figures and codes as seen on an H200. */
#include "check.h"

#include <cuda.h>
#include <cuda_runtime.h>

static cudaGraph_t graph;
static cudaGraphNode_t node;
static cudaGraphExec_t exec;
static cudaStream_t stream;

static void start(void) {
  OK(cudaStreamCreate(&stream));
  OK(cudaGraphCreate(&graph, 0));
}

static cudaError_t add_to(cudaGraph_t to, size_t size, void **p) {
  struct cudaMemAllocNodeParams memory = {.poolProps = {.allocType = cudaMemAllocationTypePinned,
                                                        .location = {cudaMemLocationTypeDevice, 0}},
                                          .bytesize = size};
  cudaError_t error = cudaGraphAddMemAllocNode(&node, to, NULL, 0, &memory);
  if (!error) *p = memory.dptr;
  return error;
}

static size_t graph_bytes(enum cudaGraphMemAttributeType attribute) {
  size_t value = 99;
  OK(cudaDeviceGetGraphMemAttribute(0, attribute, &value));
  return value;
}

#define RESERVED graph_bytes(cudaGraphMemAttrReservedMemCurrent)
#define USED graph_bytes(cudaGraphMemAttrUsedMemCurrent)

static size_t taken(void) {
  size_t left, total;
  OK(cudaMemGetInfo(&left, &total));
  return total - left;
}

TEST(memory_is_taken_at_the_first_launch_and_kept_until_trimmed) {
  void *p = NULL;
  start();
  size_t before = taken();
  OK(add_to(graph, 3 * MIB, &p));
  CHECK(p != NULL);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK_EQ(taken(), before);
  CHECK_EQ(RESERVED, 0);
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK_EQ(taken() - before, 32 * MIB);
  CHECK_EQ(RESERVED, 32 * MIB);
  CHECK_EQ(USED, 32 * MIB);
  OK(cudaDeviceGraphMemTrim(0)); /* it is live */
  CHECK_EQ(RESERVED, 32 * MIB);
  OK(cudaFree(p));
  CHECK_EQ(RESERVED, 32 * MIB);
  OK(cudaDeviceGraphMemTrim(0));
  CHECK_EQ(RESERVED, 0);
  CHECK_EQ(USED, 0);
  CHECK_EQ(taken(), before);
  CHECK_EQ(graph_bytes(cudaGraphMemAttrReservedMemHigh), 32 * MIB);
  OK(cudaGraphLaunch(exec, stream)); /* takes it again */
  CHECK_EQ(taken() - before, 32 * MIB);
}

TEST(an_upload_takes_the_memory_too) {
  void *p = NULL;
  start();
  OK(add_to(graph, 40 * MIB, &p));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphUpload(exec, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK_EQ(RESERVED, 64 * MIB);
}

TEST(the_address_is_fixed_before_there_is_memory_behind_it) {
  struct cudaPointerAttributes attributes;
  CUdeviceptr base;
  size_t size;
  void *p = NULL;
  start();
  OK(add_to(graph, MIB, &p));
  CHECK_EQ(cudaFree(p), cudaErrorInvalidValue);
  CHECK_EQ(cudaFreeAsync(p, stream), cudaErrorInvalidValue);
  OK(cudaPointerGetAttributes(&attributes, p));
  CHECK_EQ(attributes.type, cudaMemoryTypeUnregistered);
  CHECK_EQ(cuMemGetAddressRange(&base, &size, (CUdeviceptr)p), CUDA_ERROR_NOT_FOUND);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cuMemGetAddressRange(&base, &size, (CUdeviceptr)p));
  CHECK(base == (CUdeviceptr)p);
  CHECK_EQ(cudaFree((char *)p + 4), cudaErrorInvalidValue);
  OK(cudaFreeAsync(p, stream));
  CHECK_EQ(cudaFree(p), cudaErrorInvalidValue);
}

TEST(a_launch_while_the_allocation_is_live_fails) {
  void *p = NULL;
  start();
  OK(add_to(graph, MIB, &p));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  CHECK_EQ(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
  OK(cudaFree(p));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaFree(p)); /* outlives both */
  OK(cudaDeviceGraphMemTrim(0));
  CHECK_EQ(RESERVED, 0);
}

TEST(auto_free_frees_before_the_next_launch) {
  void *p = NULL;
  start();
  OK(add_to(graph, MIB, &p));
  OK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  for (int i = 0; i < 3; i++) OK(cudaGraphLaunch(exec, stream));
  CHECK_EQ(RESERVED, 32 * MIB);
  OK(cudaFree(p));
}

TEST(a_free_node_lets_the_graph_reuse_the_address) {
  struct cudaMemAllocNodeParams memory = {.poolProps = {.allocType = cudaMemAllocationTypePinned,
                                                        .location = {cudaMemLocationTypeDevice, 0}},
                                          .bytesize = 5 * MIB},
                                found;
  cudaGraphNode_t freed;
  void *p = NULL, *address = NULL;
  start();
  OK(add_to(graph, 5 * MIB, &p));
  OK(cudaGraphAddMemFreeNode(&freed, graph, &node, 1, p));
  CHECK_EQ(cudaGraphAddMemFreeNode(&node, graph, &freed, 1, p), cudaErrorInvalidValue);
  OK(cudaGraphMemFreeNodeGetParams(freed, (void *)&address));
  CHECK(address == p);
  OK(cudaGraphAddMemAllocNode(&node, graph, &freed, 1, &memory));
  CHECK(memory.dptr == p);
  OK(cudaGraphMemAllocNodeGetParams(node, &found));
  CHECK(found.dptr == p);
  CHECK_EQ(found.bytesize, 5 * MIB);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  CHECK_EQ(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
  OK(cudaFree(p));
  OK(cudaGraphLaunch(exec, stream));
}

TEST(another_graph_may_free_the_memory) {
  cudaGraph_t second;
  cudaGraphExec_t freeing;
  void *p = NULL, *ordinary, *ordered;
  int local;
  start();
  OK(cudaGraphCreate(&second, 0));
  OK(add_to(graph, 7 * MIB, &p));
  OK(cudaGraphAddMemFreeNode(&node, second, NULL, 0, p));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphInstantiate(&freeing, second, 0));
  CHECK_EQ(cudaGraphLaunch(freeing, stream), cudaErrorInvalidValue);
  for (int i = 0; i < 2; i++) {
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaGraphLaunch(freeing, stream));
    CHECK_EQ(cudaGraphLaunch(freeing, stream), cudaErrorInvalidValue);
  }
  OK(cudaMalloc(&ordinary, 9));
  OK(cudaMallocAsync(&ordered, 9, stream));
  CHECK_EQ(cudaGraphAddMemFreeNode(&node, second, NULL, 0, ordinary), cudaErrorInvalidValue);
  CHECK_EQ(cudaGraphAddMemFreeNode(&node, second, NULL, 0, ordered), cudaErrorInvalidValue);
  CHECK_EQ(cudaGraphAddMemFreeNode(&node, second, NULL, 0, &local), cudaErrorInvalidValue);
}

TEST(graphs_with_memory_have_no_copies_and_lose_no_nodes) {
  cudaGraph_t other;
  cudaGraphNode_t child;
  cudaGraphExec_t second;
  void *p = NULL;
  start();
  OK(cudaGraphCreate(&other, 0));
  OK(add_to(graph, MIB, &p));
  CHECK_EQ(cudaGraphClone(&other, graph), cudaErrorNotSupported);
  CHECK_EQ(cudaGraphAddChildGraphNode(&child, other, NULL, 0, graph), cudaErrorNotSupported);
  CHECK_EQ(cudaGraphDestroyNode(node), cudaErrorNotSupported);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK_EQ(cudaGraphInstantiate(&second, graph, 0), cudaErrorNotSupported);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphInstantiate(&second, graph, 0));
}

TEST(graphs_without_live_memory_share_theirs) {
  cudaGraph_t second;
  cudaGraphExec_t other;
  void *p = NULL, *q = NULL;
  start();
  OK(cudaGraphCreate(&second, 0));
  OK(add_to(graph, 20 * MIB, &p));
  OK(add_to(second, 30 * MIB, &q));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphInstantiate(&other, second, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaFree(p));
  OK(cudaGraphLaunch(other, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK_EQ(RESERVED, 32 * MIB);
  OK(cudaGraphLaunch(exec, stream)); /* the other one's is live now */
  OK(cudaStreamSynchronize(stream));
  CHECK_EQ(RESERVED, 64 * MIB);
}

TEST(what_no_graph_can_allocate_is_refused) {
  struct cudaMemAllocNodeParams memory = {.poolProps = {.allocType = cudaMemAllocationTypePinned,
                                                        .location = {cudaMemLocationTypeHost, 0}},
                                          .bytesize = MIB};
  size_t high = 5, zero = 0;
  void *p = NULL;
  start();
  CHECK_EQ(add_to(graph, 0, &p), cudaErrorInvalidValue);
  CHECK_EQ(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &memory), cudaErrorNotSupported);
  memory.poolProps.location = (struct cudaMemLocation){cudaMemLocationTypeDevice, 77};
  CHECK_EQ(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &memory), cudaErrorInvalidValue);
  CHECK_EQ(cudaDeviceGetGraphMemAttribute(77, cudaGraphMemAttrUsedMemHigh, &high),
           cudaErrorInvalidDevice);
  high = 5;
  CHECK_EQ(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high),
           cudaErrorInvalidValue);
  CHECK_EQ(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero),
           cudaErrorInvalidValue);
  OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero));
}

TEST(an_updated_graph_allocates_at_the_new_graphs_address) {
  cudaGraphExecUpdateResultInfo result;
  cudaGraph_t second;
  void *p = NULL, *q = NULL;
  start();
  OK(cudaGraphCreate(&second, 0));
  OK(add_to(graph, 30 * MIB, &p));
  OK(add_to(second, 30 * MIB, &q));
  CHECK(p != q);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphExecUpdate(exec, second, &result));
  OK(cudaGraphLaunch(exec, stream));
  CHECK_EQ(cudaFree(p), cudaErrorInvalidValue);
  OK(cudaFree(q));
}

TEST(a_capture_does_not_take_in_a_graph_with_memory) {
  cudaGraph_t captured;
  void *p = NULL;
  start();
  OK(add_to(graph, MIB, &p));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  CHECK_EQ(cudaGraphLaunch(exec, stream), cudaErrorStreamCaptureUnsupported);
  CHECK_EQ(cudaStreamEndCapture(stream, &captured), cudaErrorStreamCaptureInvalidated);
}

TEST(allocations_that_fit_share_units) {
  void *p, *q, *r;
  start();
  OK(add_to(graph, 3 * MIB, &p));
  OK(add_to(graph, 3 * MIB, &q));
  CHECK_EQ((char *)q - (char *)p, 3 * MIB);
  OK(add_to(graph, 40 * MIB, &r));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK_EQ(RESERVED, 96 * MIB);
}

TEST(capture_turns_stream_ordered_memory_into_nodes) {
  enum cudaGraphNodeType type;
  size_t nodes = 1;
  void *p, *ordered;
  start();
  OK(cudaMallocAsync(&ordered, 9, stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  CHECK_EQ(cudaFreeAsync(ordered, stream), cudaErrorInvalidValue);
  OK(cudaMallocAsync(&p, 9, stream));
  CHECK_EQ(cudaFree(p), cudaErrorInvalidValue);
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphGetNodes(graph, &node, &nodes));
  CHECK_EQ(nodes, 1);
  OK(cudaGraphNodeGetType(node, &type));
  CHECK_EQ(type, cudaGraphNodeTypeMemAlloc);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaFree(p));
  OK(cudaFree(ordered));
}

TEST_WITH(a_full_device_fails_the_launch, "memory=64MiB") {
  void *p = NULL, *q = NULL;
  start();
  OK(add_to(graph, 40 * MIB, &p));
  OK(cudaMalloc(&q, 10 * MIB));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK_EQ(cudaGraphLaunch(exec, stream), cudaErrorMemoryAllocation);
  OK(cudaFree(q));
  OK(cudaGraphLaunch(exec, stream));
  CHECK_EQ(cudaMalloc(&q, MIB), cudaErrorMemoryAllocation);
}

/* One graph with a node of each kind through the general functions of both APIs. */
TEST(any_node_can_be_added_by_the_general_function) {
  struct cudaGraphNodeParams alloc = {.type = cudaGraphNodeTypeMemAlloc},
                             fill = {.type = cudaGraphNodeTypeMemset},
                             freed = {.type = cudaGraphNodeTypeMemFree};
  CUgraphNodeParams driver_alloc = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC},
                    empty = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
  CUgraphNode added;
  CUgraphNodeType type;
  CUDA_MEM_ALLOC_NODE_PARAMS asked;
  start();
  alloc.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  alloc.alloc.poolProps.location = (struct cudaMemLocation){cudaMemLocationTypeDevice, 0};
  alloc.alloc.bytesize = 64;
  OK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &alloc));
  fill.memset.dst = alloc.alloc.dptr;
  fill.memset.elementSize = 1;
  fill.memset.pitch = fill.memset.width = 64;
  fill.memset.height = 1;
  OK(cudaGraphAddNode(&node, graph, &node, NULL, 1, &fill));
  freed.free.dptr = alloc.alloc.dptr;
  OK(cudaGraphAddNode(&node, graph, &node, NULL, 1, &freed));
  driver_alloc.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  driver_alloc.alloc.poolProps.location = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, 0};
  driver_alloc.alloc.bytesize = 3 * MIB;
  OK(cuGraphAddNode(&added, (CUgraph)graph, NULL, NULL, 0, &driver_alloc));
  OK(cuGraphMemAllocNodeGetParams(added, &asked));
  CHECK_EQ(asked.bytesize, 3 * MIB);
  OK(cuGraphNodeGetType(added, &type));
  CHECK_EQ(type, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  OK(cuGraphAddMemFreeNode(&added, (CUgraph)graph, &added, 1, driver_alloc.alloc.dptr));
  OK(cuGraphAddNode(&added, (CUgraph)graph, &added, NULL, 1, &empty));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; i++) OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK_EQ(RESERVED, 32 * MIB);
}
