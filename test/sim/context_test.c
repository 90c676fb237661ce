/* context_test.c - what a context takes of its device, and what goes with it. Tests without options
 * hold what an H200 does.
 */
#include "check.h"

#include <cuda.h>
#include <cuda_runtime.h>

static size_t taken(void) {
  size_t left, total;
  OK(cuMemGetInfo(&left, &total));
  return total - left;
}

TEST_WITH(each_context_takes_memory_and_gives_it_back, "context=511MiB:memory=2GiB") {
  CUcontext first, second;
  OK(cuInit(0));
  OK(cuCtxCreate(&first, NULL, 0, 0));
  CHECK_EQ(taken(), 512 * MIB); /* in multiples of the granularity */
  OK(cuCtxCreate(&second, NULL, 0, 0));
  CHECK_EQ(taken(), 1024 * MIB);
  OK(cuCtxDestroy(second));
  CHECK_EQ(taken(), 512 * MIB);
  OK(cudaSetDevice(0)); /* the primary one */
  CHECK_EQ(taken(), 1024 * MIB);
  OK(cudaDeviceReset());
  OK(cuCtxSetCurrent(first));
  CHECK_EQ(taken(), 512 * MIB);
  OK(cudaSetDevice(0));
  CHECK_EQ(taken(), 1024 * MIB);
}

TEST_WITH(a_device_too_full_for_a_context_has_none, "context=64MiB:memory=96MiB:devices=2") {
  CUcontext context, other;
  void *p;
  OK(cuInit(0));
  OK(cuCtxCreate(&context, NULL, 0, 0));
  CHECK_EQ(cuCtxCreate(&other, NULL, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
  CHECK_EQ(cudaSetDevice(0), cudaErrorMemoryAllocation);
  OK(cudaSetDevice(1));
  OK(cudaMalloc(&p, 32 * MIB));
  CHECK_EQ(cudaMalloc(&p, 2 * MIB), cudaErrorMemoryAllocation);
}

TEST_WITH(larger_limits_take_memory_where_that_is_asked_for, "limits=1:memory=4GiB") {
  OK(cudaFree(NULL));
  CHECK_EQ(taken(), 0);
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 8192)); /* for 132 x 2048 threads */
  CHECK_EQ(taken(), 1848 * MIB);
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 1024));
  CHECK_EQ(taken(), 0);
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 72 * MIB));
  CHECK_EQ(taken(), 64 * MIB);
  OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 17 * MIB + 7340032 - 7 * MIB));
  CHECK_EQ(taken(), 74 * MIB);
  CHECK_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 * GIB), cudaErrorMemoryAllocation);
  CHECK_EQ(taken(), 74 * MIB);
  OK(cudaDeviceReset());
  OK(cudaFree(NULL));
  CHECK_EQ(taken(), 0);
}

TEST_WITH(limits_are_only_kept_by_default, "memory=1GiB") {
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 64 * KIB));
  CHECK_EQ(taken(), 0);
  CHECK_EQ(cudaDeviceSetLimit((enum cudaLimit)77, 1), cudaErrorInvalidValue);
}

TEST(a_destroyed_context_takes_its_memory_along_but_not_a_pools) {
  CUcontext first, second;
  CUdeviceptr p, ordered, managed;
  void *pinned;
  OK(cuInit(0));
  OK(cuCtxCreate(&first, NULL, 0, 0));
  OK(cuMemAlloc(&p, 9 * MIB));
  OK(cuMemAllocAsync(&ordered, 9, NULL));
  OK(cuMemAllocHost(&pinned, 99));
  OK(cuMemAllocManaged(&managed, 99, CU_MEM_ATTACH_GLOBAL));
  OK(cuCtxCreate(&second, NULL, 0, 0));
  OK(cuCtxDestroy(first));
  CHECK_EQ(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(ordered));
  CHECK_EQ(cuMemFreeHost(pinned), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMemFree(managed), CUDA_ERROR_INVALID_VALUE);
}

/* Allocations of each kind, and what is left of them. */
static void *plain, *ordered, *of_pool, *pinned, *managed;
static CUmemGenericAllocationHandle created;

static void allocate_all(void) {
  struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                        .location = {cudaMemLocationTypeDevice, 0}};
  CUmemAllocationProp memory = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  cudaMemPool_t pool;
  OK(cudaMemPoolCreate(&pool, &properties));
  OK(cudaMalloc(&plain, 9 * MIB));
  OK(cudaMallocAsync(&ordered, 5 * MIB, NULL));
  OK(cudaMallocFromPoolAsync(&of_pool, 5 * MIB, pool, NULL));
  OK(cuMemCreate(&created, 64 * MIB, &memory, 0));
  OK(cudaMallocHost(&pinned, 99));
  OK(cudaMallocManaged(&managed, 99, cudaMemAttachGlobal));
  OK(cudaDeviceSynchronize());
}

static void check_what_a_reset_leaves(void) {
  CHECK_EQ(cudaFree(plain), cudaErrorInvalidValue);
  CHECK_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
  CHECK_EQ(cudaFree(managed), cudaErrorInvalidValue);
  OK(cudaFree(ordered));
  OK(cudaFree(of_pool));
  OK(cuMemRelease(created));
}

static int active(void) {
  unsigned flags;
  int is = -1;
  OK(cuDevicePrimaryCtxGetState(0, &flags, &is));
  return is;
}

TEST(a_reset_frees_what_is_not_a_pools_or_a_handles) {
  OK(cudaFree(NULL));
  allocate_all();
  OK(cudaDeviceReset());
  CHECK_EQ(active(), 0);
  OK(cudaFree(NULL));
  CHECK_EQ(active(), 1);
  check_what_a_reset_leaves();
  allocate_all();
  OK(cuDevicePrimaryCtxReset(0));
  CHECK_EQ(active(), 0);
  OK(cudaFree(NULL));
  check_what_a_reset_leaves();
}

TEST(a_graphs_memory_outlives_the_context) {
  struct cudaMemAllocNodeParams memory = {.poolProps = {.allocType = cudaMemAllocationTypePinned,
                                                        .location = {cudaMemLocationTypeDevice, 0}},
                                          .bytesize = 9};
  size_t reserved = 0;
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaFree(NULL));
  OK(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &memory));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, NULL));
  OK(cudaDeviceSynchronize());
  OK(cudaDeviceReset());
  OK(cudaFree(NULL));
  OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
  CHECK_EQ(reserved, 32 * MIB);
  OK(cudaFree(memory.dptr));
  OK(cudaDeviceGraphMemTrim(0));
  OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
  CHECK_EQ(reserved, 0);
}

TEST(the_runtime_holds_the_primary_context) {
  CUcontext primary;
  void *p;
  OK(cudaMalloc(&p, 9));
  OK(cuDevicePrimaryCtxRetain(&primary, 0));
  OK(cuDevicePrimaryCtxRelease(0));
  CHECK_EQ(active(), 1);
  OK(cudaFree(p));
  CHECK_EQ(cuCtxDestroy(primary), CUDA_ERROR_INVALID_CONTEXT);
  OK(cudaDeviceReset());
  CHECK_EQ(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_WITH(a_reset_gives_the_memory_back, "memory=256MiB:context=16MiB") {
  void *a, *b;
  OK(cudaMalloc(&a, 10 * MIB));
  OK(cudaMallocAsync(&b, 10 * MIB, NULL));
  OK(cudaFreeAsync(b, NULL));
  OK(cudaDeviceReset());
  OK(cudaFree(NULL));
  CHECK_EQ(taken(), 16 * MIB);
}

TEST(green_contexts_have_multiprocessors_and_the_primarys_memory) {
  CUdevResource all, groups[2], rest;
  CUdevResourceDesc desc;
  CUgreenCtx green;
  CUcontext context;
  CUdeviceptr p, q;
  CUstream stream;
  unsigned count = 2;
  OK(cudaFree(NULL));
  OK(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
  CHECK_EQ(all.sm.smCount, 132);
  OK(cuDevSmResourceSplitByCount(groups, &count, &all, &rest, 0, 10));
  CHECK_EQ(count, 2);
  CHECK_EQ(groups[0].sm.smCount, 16);
  CHECK_EQ(rest.sm.smCount, 100);
  OK(cuDevResourceGenerateDesc(&desc, groups, 1));
  CHECK_EQ(cuGreenCtxCreate(&green, desc, 0, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuGreenCtxCreate(&green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
  OK(cuCtxFromGreenCtx(&context, green));
  CHECK_EQ(cuGreenCtxStreamCreate(&stream, green, 0, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
  OK(cuMemAllocAsync(&p, 8, stream));
  OK(cuCtxPushCurrent(context));
  OK(cuMemAlloc(&q, 8));
  OK(cuCtxPopCurrent(&context));
  CHECK_EQ(cuCtxDestroy(context), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuGreenCtxDestroy(green));
  OK(cuMemFree(p));
  OK(cuMemFree(q));
  CHECK_EQ(active(), 1);
}
