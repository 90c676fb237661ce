/* stream_test.c - streams, events, host functions, capture and graphs. */
#include "check.h"

#include <cuda_runtime.h>
#include <time.h>

static void count(void *counter) {
  ++*(int *)counter;
}

static void count_in_stream(cudaStream_t stream, cudaError_t status, void *counter) {
  CHECK(stream != NULL);
  OK(status);
  count(counter);
}

TEST(host_functions_and_callbacks_run_once) {
  cudaStream_t stream;
  int calls = 0;
  OK(cudaStreamCreate(&stream));
  OK(cudaLaunchHostFunc(stream, count, &calls));
  OK(cudaStreamAddCallback(stream, count_in_stream, &calls, 0));
  OK(cudaStreamSynchronize(stream));
  CHECK_EQ(calls, 2);
}

TEST(streams_keep_flags_and_priority) {
  cudaStream_t stream;
  unsigned flags = 9;
  int priority = 9, least = 9, greatest = 9, device = 9;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(greatest < least);
  OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  OK(cudaStreamGetFlags(stream, &flags));
  OK(cudaStreamGetPriority(stream, &priority));
  OK(cudaStreamGetDevice(stream, &device));
  CHECK_EQ(flags, cudaStreamNonBlocking);
  CHECK_EQ(priority, greatest);
  CHECK_EQ(device, 0);
  OK(cudaStreamQuery(stream));
  OK(cudaStreamDestroy(stream));
  CHECK_EQ(cudaStreamCreateWithFlags(&stream, 8), cudaErrorInvalidValue);
}

/* A real runtime crashes on some of these. */
TEST_WITH(handles_that_are_none_are_refused, "devices=1") {
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamDestroy(stream));
  CHECK_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  CHECK_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  CHECK_EQ(cudaEventQuery((cudaEvent_t)0x77777770), cudaErrorInvalidResourceHandle);
  CHECK_EQ(cudaFreeArray((cudaArray_t)0x77777770), cudaErrorInvalidResourceHandle);
}

TEST(events_measure_time) {
  cudaEvent_t a, b, untimed;
  float ms = -1;
  struct timespec nap = {0, 20 * 1000 * 1000};
  OK(cudaEventCreate(&a));
  OK(cudaEventCreate(&b));
  OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  CHECK_EQ(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
  OK(cudaEventRecord(a, NULL));
  nanosleep(&nap, NULL);
  OK(cudaEventRecord(b, NULL));
  OK(cudaEventSynchronize(b));
  OK(cudaEventQuery(b));
  OK(cudaEventElapsedTime(&ms, a, b));
  CHECK(ms >= 19.9f && ms < 10000);
  OK(cudaEventRecord(untimed, NULL));
  CHECK_EQ(cudaEventElapsedTime(&ms, a, untimed), cudaErrorInvalidResourceHandle);
  OK(cudaEventDestroy(a));
}

TEST(captured_work_runs_when_the_graph_is_launched) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  enum cudaStreamCaptureStatus status;
  char text[8] = "captur", back[8] = "";
  int calls = 0;
  size_t nodes = 0;
  void *p;
  OK(cudaMalloc(&p, 8));
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMemcpyAsync(p, text, 8, cudaMemcpyHostToDevice, stream));
  OK(cudaMemsetAsync(p, 'C', 1, stream));
  OK(cudaMemcpyAsync(back, p, 8, cudaMemcpyDeviceToHost, stream));
  OK(cudaLaunchHostFunc(stream, count, &calls));
  OK(cudaStreamIsCapturing(stream, &status));
  CHECK_EQ(status, cudaStreamCaptureStatusActive);
  OK(cudaStreamEndCapture(stream, &graph));
  CHECK_EQ(calls, 0);
  OK(cudaGraphGetNodes(graph, NULL, &nodes));
  CHECK_EQ(nodes, 4);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK_EQ(calls, 2);
  CHECK(!strcmp(back, "Captur"));
  OK(cudaGraphExecDestroy(exec));
}

TEST(a_malloc_spoils_a_global_capture) {
  cudaStream_t stream;
  cudaGraph_t graph;
  void *p;
  OK(cudaStreamCreate(&stream));
  CHECK_EQ(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal),
           cudaErrorStreamCaptureUnsupported);
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  CHECK_EQ(cudaMalloc(&p, 4), cudaErrorStreamCaptureUnsupported);
  CHECK_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  CHECK_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
  OK(cudaMalloc(&p, 4));
}

TEST(a_relaxed_capture_allows_a_malloc) {
  cudaStream_t stream;
  cudaGraph_t graph;
  void *p;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  OK(cudaMalloc(&p, 4));
  OK(cudaStreamEndCapture(stream, &graph));
}

TEST(a_wait_draws_a_second_stream_into_the_capture) {
  cudaStream_t a, b;
  cudaEvent_t fork_event, join_event;
  cudaGraph_t graph;
  int calls = 0;
  size_t nodes = 0;
  OK(cudaStreamCreate(&a));
  OK(cudaStreamCreate(&b));
  OK(cudaEventCreate(&fork_event));
  OK(cudaEventCreate(&join_event));
  OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(fork_event, a));
  OK(cudaStreamWaitEvent(b, fork_event, 0));
  OK(cudaLaunchHostFunc(b, count, &calls));
  OK(cudaEventRecord(join_event, b));
  OK(cudaStreamWaitEvent(a, join_event, 0));
  OK(cudaStreamEndCapture(a, &graph));
  OK(cudaGraphGetNodes(graph, NULL, &nodes));
  CHECK_EQ(nodes, 1);
  CHECK_EQ(calls, 0);
  OK(cudaLaunchHostFunc(b, count, &calls));
  OK(cudaStreamSynchronize(b));
  CHECK_EQ(calls, 1);
}

TEST(memory_of_a_captured_graph_serves_every_launch) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  char back[4] = "";
  void *p = NULL;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(&p, MIB, stream));
  OK(cudaMemsetAsync(p, 'g', 3, stream));
  OK(cudaMemcpyAsync(back, p, 3, cudaMemcpyDeviceToHost, stream));
  OK(cudaFreeAsync(p, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphDestroy(graph));
  for (int i = 0; i < 3; i++) {
    memset(back, 0, sizeof back);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(!strcmp(back, "ggg"));
  }
  OK(cudaGraphExecDestroy(exec));
}

TEST_WITH(memory_of_a_graph_ends_when_trimmed_after_its_last_copy, "memory=64MiB") {
  struct cudaMemAllocNodeParams memory = {.poolProps = {.allocType = cudaMemAllocationTypePinned,
                                                        .location = {cudaMemLocationTypeDevice, 0}},
                                          .bytesize = 10 * MIB};
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  size_t left, total;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &memory));
  CHECK(memory.dptr != NULL);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphLaunch(exec, NULL));
  OK(cudaMemset(memory.dptr, 1, 10 * MIB));
  OK(cudaFree(memory.dptr));
  CHECK_EQ(cudaFree(memory.dptr), cudaErrorInvalidValue);
  OK(cudaGraphLaunch(exec, NULL)); /* has it again */
  OK(cudaFree(memory.dptr));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaDeviceSynchronize());
  OK(cudaDeviceGraphMemTrim(0));
  OK(cudaMemGetInfo(&left, &total));
  CHECK_EQ(left, total);
}

TEST(graphs_built_by_hand_run_their_nodes) {
  struct cudaHostNodeParams host = {count, NULL};
  struct cudaMemsetParams fill = {.value = 0x01020304, .elementSize = 4, .width = 16, .height = 1};
  cudaGraph_t graph, inner;
  cudaGraphExec_t exec;
  cudaGraphNode_t fill_node, copy_node, host_node, child;
  enum cudaGraphNodeType type;
  unsigned back[16] = {0};
  int calls = 0;
  host.userData = &calls;
  OK(cudaMalloc(&fill.dst, 64));
  fill.pitch = 64;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphCreate(&inner, 0));
  OK(cudaGraphAddHostNode(&host_node, inner, NULL, 0, &host));
  OK(cudaGraphAddMemsetNode(&fill_node, graph, NULL, 0, &fill));
  OK(cudaGraphAddMemcpyNode1D(&copy_node, graph, &fill_node, 1, back, fill.dst, 64,
                              cudaMemcpyDeviceToHost));
  OK(cudaGraphAddChildGraphNode(&child, graph, &copy_node, 1, inner));
  OK(cudaGraphNodeGetType(child, &type));
  CHECK_EQ(type, cudaGraphNodeTypeGraph);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, NULL));
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 16; i++) CHECK_EQ(back[i], 0x01020304);
  CHECK_EQ(calls, 1);
  fill.value = 7;
  OK(cudaGraphExecMemsetNodeSetParams(exec, fill_node, &fill));
  OK(cudaGraphLaunch(exec, NULL));
  OK(cudaDeviceSynchronize());
  CHECK_EQ(back[15], 7);
}

TEST(an_executable_graph_takes_the_parameters_of_an_alike_one) {
  struct cudaHostNodeParams host = {count, NULL};
  cudaGraphExecUpdateResultInfo result;
  cudaGraph_t first, second, longer;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  int one = 0, two = 0;
  OK(cudaGraphCreate(&first, 0));
  OK(cudaGraphCreate(&second, 0));
  OK(cudaGraphCreate(&longer, 0));
  host.userData = &one;
  OK(cudaGraphAddHostNode(&node, first, NULL, 0, &host));
  host.userData = &two;
  OK(cudaGraphAddHostNode(&node, second, NULL, 0, &host));
  OK(cudaGraphAddHostNode(&node, longer, NULL, 0, &host));
  OK(cudaGraphAddEmptyNode(&node, longer, &node, 1));
  OK(cudaGraphInstantiate(&exec, first, 0));
  OK(cudaGraphExecUpdate(exec, second, &result));
  CHECK_EQ(cudaGraphExecUpdate(exec, longer, &result), cudaErrorGraphExecUpdateFailure);
  CHECK_EQ(result.result, cudaGraphExecUpdateErrorTopologyChanged);
  OK(cudaGraphLaunch(exec, NULL));
  OK(cudaDeviceSynchronize());
  CHECK_EQ(one, 0);
  CHECK_EQ(two, 1);
}
