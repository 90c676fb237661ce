/* cupti_test.c - CUPTI's callbacks for calls of the driver. Numbers and structures are those of the
 * toolkit's headers, with which toolkit.py compares them.
 */
#include "check.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdint.h>

enum { ENTER = 0, EXIT = 1, DRIVER = 1, RUNTIME = 2 };
enum { ALLOCATE = 243, FREE = 245, CUDA_MALLOC = 20 };
enum { INVALID_PARAMETER = 1, NOT_INITIALIZED = 15, TAKEN = 39 };
struct info { /* CUpti_CallbackData */
  int site;
  const char *function;
  const void *parameters;
  void *result;
  const char *symbol;
  CUcontext context;
  uint32_t context_id;
  uint64_t *data;
  uint32_t correlation;
};
typedef void (*callback)(void *data, int domain, uint32_t number, const void *reported);
int cuptiSubscribe(void **subscriber, callback callback, void *data);
int cuptiUnsubscribe(void *subscriber);
int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t number);
int cuptiEnableDomain(uint32_t enable, void *subscriber, int domain);
int cuptiGetCallbackName(int domain, uint32_t number, const char **name);
int cuptiGetResultString(int result, const char **text);

static struct {
  struct info info;
  uint32_t number;
  int result;
  uint64_t data;
  pthread_t thread;
} events[256];
static unsigned count;
static const void *caller;
static bool below_caller;

static void listen(void *data, int domain, uint32_t number, const void *reported) {
  const struct info *info = reported;
  CHECK(data == events && (domain == DRIVER || domain == RUNTIME) && count < 256);
  bool exit = info->site == EXIT;
  if (!exit) *info->data = number + 1000;
  events[count].info = *info;
  events[count].number = number;
  events[count].result = exit ? *(int *)info->result : -1;
  events[count].data = *info->data;
  events[count++].thread = pthread_self();
  void *frames[32];
  for (int i = 0, n = backtrace(frames, 32); i < n; i++) below_caller |= frames[i] == caller;
}

static void *subscribe(void) {
  void *subscriber = NULL;
  OK(cuptiSubscribe(&subscriber, listen, events));
  return subscriber;
}

/* Both ends of one call were reported, and nothing else. */
static void check_reported(const char *what, uint32_t number) {
  bool good = count == 2 && events[0].number == number && events[1].number == number &&
              events[0].info.site == ENTER && events[1].info.site == EXIT;
  if (!good) {
    fprintf(stderr, "%s: not one call of %u but", what, number);
    for (unsigned i = 0; i < count; i++) fprintf(stderr, " %u", events[i].number);
    fprintf(stderr, "\n");
  }
  CHECK(good);
  count = 0;
}

static CUcontext driver(void) {
  CUcontext context = NULL;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  return context;
}

TEST(both_ends_of_a_call_are_reported) {
  CUcontext context = driver();
  void *subscriber = subscribe();
  OK(cuptiEnableCallback(1, subscriber, DRIVER, ALLOCATE));
  OK(cuptiEnableCallback(1, subscriber, DRIVER, FREE));
  CUdeviceptr p = 0;
  OK(cuMemAlloc(&p, 12345));
  CHECK_EQ(count, 2);
  for (int i = 0; i < 2; i++) {
    CHECK(!strcmp(events[i].info.function, "cuMemAlloc_v2") && events[i].info.context == context);
    CHECK(events[i].info.context_id && pthread_equal(events[i].thread, pthread_self()));
    CHECK_EQ(events[i].data, ALLOCATE + 1000);
    CHECK_EQ(events[i].info.correlation, events[0].info.correlation);
  }
  CHECK_EQ(events[1].result, CUDA_SUCCESS);
  check_reported("cuMemAlloc", ALLOCATE);
  OK(cuMemFree(p));
  check_reported("cuMemFree", FREE);
  CHECK_EQ(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(events[1].result, CUDA_ERROR_INVALID_VALUE);
}

static struct {
  CUdeviceptr *address;
  size_t size, given;
} parameters;

static void read_parameters(void *data, int domain, uint32_t number, const void *reported) {
  const struct info *info = reported;
  (void)data, (void)domain, (void)number;
  memcpy(&parameters, info->parameters, 2 * sizeof(size_t));
  if (info->site == EXIT) parameters.given = *parameters.address;
}

TEST(parameters_are_those_of_the_call) {
  driver();
  void *subscriber = NULL;
  OK(cuptiSubscribe(&subscriber, read_parameters, NULL));
  OK(cuptiEnableDomain(1, subscriber, DRIVER));
  CUdeviceptr p = 0;
  OK(cuMemAlloc(&p, 12345));
  CHECK(parameters.address == &p);
  CHECK_EQ(parameters.size, 12345);
  CHECK_EQ(parameters.given, p);
}

TEST(only_what_is_enabled_is_reported) {
  driver();
  void *subscriber = subscribe();
  CUdeviceptr p = 0;
  OK(cuMemAlloc(&p, 1024));
  CHECK_EQ(count, 0);
  OK(cuptiEnableCallback(1, subscriber, DRIVER, FREE));
  OK(cuMemFree(p));
  check_reported("cuMemFree", FREE);
  OK(cuptiEnableCallback(0, subscriber, DRIVER, FREE));
  OK(cuMemAlloc(&p, 1024));
  OK(cuMemFree(p));
  OK(cuptiEnableDomain(1, subscriber, DRIVER));
  OK(cuptiUnsubscribe(subscriber));
  OK(cuMemAlloc(&p, 1024));
  CHECK_EQ(count, 0);
}

TEST(one_subscriber_at_a_time) {
  driver();
  void *first = subscribe(), *second = NULL;
  CHECK_EQ(cuptiSubscribe(&second, listen, events), TAKEN);
  OK(cuptiUnsubscribe(first));
  CHECK_EQ(cuptiUnsubscribe(first), INVALID_PARAMETER);
  OK(cuptiSubscribe(&second, listen, events));
  CHECK_EQ(cuptiEnableCallback(1, NULL, DRIVER, FREE), INVALID_PARAMETER);
  CHECK_EQ(cuptiEnableCallback(1, second, 77, FREE), INVALID_PARAMETER);
  CHECK_EQ(cuptiEnableCallback(1, second, DRIVER, 1u << 20), INVALID_PARAMETER);
  OK(cuptiEnableDomain(1, second, RUNTIME));
}

TEST(a_function_has_a_name_and_a_result_too) {
  const char *text = NULL;
  OK(cuptiGetCallbackName(DRIVER, ALLOCATE, &text));
  CHECK(!strcmp(text, "cuMemAlloc_v2"));
  OK(cuptiGetResultString(TAKEN, &text));
  CHECK(!strcmp(text, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"));
}

static void *all(void) {
  OK(cudaFree(NULL)); /* makes a context */
  void *subscriber = subscribe();
  OK(cuptiEnableDomain(1, subscriber, DRIVER));
  count = 0;
  return subscriber;
}

TEST(calls_of_the_runtime_api_are_reported_around_those_of_the_driver) {
  void *p = NULL, *subscriber = subscribe();
  OK(cuptiEnableDomain(1, subscriber, DRIVER));
  OK(cuptiEnableCallback(1, subscriber, RUNTIME, CUDA_MALLOC));
  OK(cudaMalloc(&p, 1 << 20));
  CHECK_EQ(count, 4);
  const uint32_t numbers[] = {CUDA_MALLOC, ALLOCATE, ALLOCATE, CUDA_MALLOC};
  for (int i = 0; i < 4; i++) {
    CHECK_EQ(events[i].number, numbers[i]);
    CHECK_EQ(events[i].info.site, i < 2 ? ENTER : EXIT);
  }
  CHECK(!strcmp(events[0].info.function, "cudaMalloc") && events[3].result == 0);
  OK(cuptiEnableDomain(0, subscriber, DRIVER));
  count = 0;
  CHECK(cudaMalloc(&p, (size_t)1 << 50) == cudaErrorMemoryAllocation);
  CHECK(count == 2 && events[1].result == (int)cudaErrorMemoryAllocation);
  const char *text = NULL;
  OK(cuptiGetCallbackName(RUNTIME, CUDA_MALLOC, &text));
  CHECK(!strcmp(text, "cudaMalloc"));
}

/* A call, and the one of the driver that it comes down to. */
#define REPORTED(number, call)                                                                     \
  do {                                                                                             \
    OK(call);                                                                                      \
    check_reported(#call, number);                                                                 \
  } while (0)

TEST(calls_of_the_runtime_api_are_reported_as_those_of_the_driver) {
  all();
  void *p = NULL;
  size_t pitch;
  REPORTED(ALLOCATE, cudaMalloc(&p, 1 << 20));
  REPORTED(FREE, cudaFree(p));
  REPORTED(244, cudaMallocPitch(&p, &pitch, 100, 10));
  REPORTED(FREE, cudaFree(p));
  REPORTED(371, cudaMallocManaged(&p, 4096, cudaMemAttachGlobal));
  REPORTED(FREE, cudaFree(p));
  REPORTED(39, cudaMallocHost(&p, 4096));
  REPORTED(38, cudaFreeHost(p));
  REPORTED(39, cudaHostAlloc(&p, 4096, cudaHostAllocMapped));
  REPORTED(38, cudaFreeHost(p));
  p = aligned_alloc(4096, 4096);
  REPORTED(379, cudaHostRegister(p, 4096, 0));
  REPORTED(302, cudaHostUnregister(p));
  free(p);
  struct cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  cudaArray_t array;
  REPORTED(274, cudaMallocArray(&array, &floats, 16, 16, 0));
  REPORTED(89, cudaFreeArray(array));
  cudaMipmappedArray_t mipmap;
  REPORTED(347, cudaMallocMipmappedArray(&mipmap, &floats, (struct cudaExtent){16, 16, 0}, 2, 0));
  REPORTED(349, cudaFreeMipmappedArray(mipmap));
  REPORTED(545, cudaDeviceReset());
}

TEST(pools_and_streams_are_reported) {
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  all();
  void *p = NULL;
  REPORTED(598, cudaMallocAsync(&p, 1 << 20, stream));
  REPORTED(600, cudaFreeAsync(p, stream));
  struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                        .location = {.type = cudaMemLocationTypeDevice}};
  cudaMemPool_t pool;
  uint64_t threshold = 1 << 20;
  REPORTED(607, cudaMemPoolCreate(&pool, &properties));
  REPORTED(603, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  REPORTED(611, cudaMallocFromPoolAsync(&p, 1 << 20, pool, stream));
  REPORTED(600, cudaFreeAsync(p, stream));
  REPORTED(602, cudaMemPoolTrimTo(pool, 0));
  REPORTED(609, cudaDeviceSetMemPool(0, pool));
  REPORTED(608, cudaMemPoolDestroy(pool));
}

TEST(graphs_are_reported) {
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  all();
  void *p = NULL;
  cudaGraph_t graph, child;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  REPORTED(539, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  REPORTED(598, cudaMallocAsync(&p, 1 << 20, stream));
  REPORTED(600, cudaFreeAsync(p, stream));
  REPORTED(497, cudaStreamEndCapture(stream, &graph));
  REPORTED(643, cudaGraphInstantiate(&exec, graph, 0));
  REPORTED(580, cudaGraphUpload(exec, stream));
  REPORTED(514, cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  REPORTED(516, cudaGraphExecDestroy(exec));
  REPORTED(517, cudaGraphDestroy(graph));
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphCreate(&child, 0));
  count = 0;
  REPORTED(525, cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
  struct cudaMemAllocNodeParams memory = {
      .poolProps = {.allocType = cudaMemAllocationTypePinned,
                    .location = {.type = cudaMemLocationTypeDevice}},
      .bytesize = 1 << 20};
  REPORTED(638, cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &memory));
  CHECK(memory.dptr);
  REPORTED(639, cudaGraphAddMemFreeNode(&node, graph, &node, 1, memory.dptr));
  struct cudaGraphNodeParams empty = {.type = cudaGraphNodeTypeEmpty};
  REPORTED(723, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &empty));
  REPORTED(517, cudaGraphDestroy(graph));
  REPORTED(640, cudaDeviceGraphMemTrim(0));
}

TEST(no_call_is_reported_twice) {
  driver();
  all();
  void *p = NULL;
  REPORTED(294, cuMemAllocHost(&p, 4096));
  REPORTED(38, cuMemFreeHost(p));
  CUDA_ARRAY_DESCRIPTOR plane = {16, 16, CU_AD_FORMAT_FLOAT, 1};
  CUarray array;
  REPORTED(272, cuArrayCreate(&array, &plane));
  REPORTED(89, cuArrayDestroy(array));
}

TEST(functions_that_the_driver_gives_are_reported) {
  driver();
  all();
  CUresult (*allocate)(CUdeviceptr *, size_t) = NULL;
  OK(cuGetProcAddress("cuMemAlloc", (void **)&allocate, 13000, 0, NULL));
  CUdeviceptr p = 0;
  REPORTED(ALLOCATE, allocate(&p, 1024));
}

static __attribute__((noinline)) void call_from_here(void) {
  caller = __builtin_return_address(0);
  void *p = NULL;
  REPORTED(ALLOCATE, cudaMalloc(&p, 1024));
}

TEST(the_stack_below_a_callback_is_that_of_the_caller) {
  all();
  call_from_here();
  CHECK(below_caller);
}

static void *of_its_own(void *unused) {
  CUdeviceptr p = 0;
  (void)unused;
  driver();
  OK(cuMemAlloc(&p, 1024));
  return NULL;
}

TEST(a_call_is_reported_by_its_thread) {
  driver();
  all();
  pthread_t thread;
  OK(pthread_create(&thread, NULL, of_its_own, NULL));
  OK(pthread_join(thread, NULL));
  CHECK(count == 2 && pthread_equal(events[0].thread, thread));
}

TEST_WITH(another_tool_may_have_cupti, "cupti=taken") {
  void *subscriber = NULL;
  CHECK_EQ(cuptiSubscribe(&subscriber, listen, events), TAKEN);
}

TEST_WITH(cupti_may_be_broken, "cupti=broken") {
  void *subscriber = NULL;
  CHECK_EQ(cuptiSubscribe(&subscriber, listen, events), NOT_INITIALIZED);
}
