/* cuda12_test.c - libcudart.so.12, as a program sees it that was compiled with CUDA 12: with names,
 * parameters and structures that CUDA 13 changed. They are declared here, because the headers on
 * this machine are of CUDA 13; toolkit.py compares them with CUDA 12 where there is one.
 */
#include "check.h"

#include <dlfcn.h>
#include <stdint.h>

#ifndef CUDART_13
#define CUDART_13 "libcudart.so.13"
#endif

typedef struct CUstream_st *stream_t;
typedef struct CUgraph_st *graph_t;
typedef struct CUgraphNode_st *node_t;
typedef struct CUevent_st *event_t;
struct location {
  int type, id;
};
struct pool { /* cudaMemPoolProps */
  int type, handle_types;
  struct location location;
  void *security;
  size_t most;
  unsigned char reserved[56];
};
struct node { /* cudaGraphNodeParams with cudaMemAllocNodeParamsV2 */
  int type, reserved0[3];
  struct pool pool;
  const void *access;
  size_t access_count, bytes;
  void *address;
  long long more[29 - (sizeof(struct pool) + 32) / 8 + 1];
};
enum { ALLOCATE = 10, EMPTY = 5, ON_DEVICE = 1, ON_HOST = 2, HOST = -1 };

int cudaMalloc(void **p, size_t n);
int cudaMallocManaged(void **p, size_t n, unsigned flags);
int cudaFree(void *p);
int cudaGetLastError(void);
int cudaRuntimeGetVersion(int *version);
int cudaDriverGetVersion(int *version);
int cudaGetDeviceProperties(void *properties, int device);
int cudaGetDeviceProperties_v2(void *properties, int device);
int cudaPointerGetAttributes(void *attributes, const void *p);
int cudaMemAdvise(const void *p, size_t n, int advice, int device);
int cudaMemAdvise_v2(const void *p, size_t n, int advice, struct location location);
int cudaMemPrefetchAsync(const void *p, size_t n, int device, stream_t stream);
int cudaMemPrefetchAsync_ptsz(const void *p, size_t n, int device, stream_t stream);
int cudaMemPrefetchAsync_v2(const void *p, size_t n, struct location location, unsigned flags,
                            stream_t stream);
int cudaMemRangeGetAttribute(void *data, size_t size, int attribute, const void *p, size_t n);
int cudaStreamCreateWithFlags(stream_t *stream, unsigned flags);
int cudaStreamBeginCapture(stream_t stream, int mode);
int cudaStreamEndCapture(stream_t stream, graph_t *graph);
int cudaStreamGetCaptureInfo(stream_t stream, int *status, unsigned long long *id);
int cudaStreamGetCaptureInfo_v2(stream_t stream, int *status, unsigned long long *id,
                                graph_t *graph, const node_t **dependencies, size_t *count);
int cudaStreamGetCaptureInfo_v3(stream_t stream, int *status, unsigned long long *id,
                                graph_t *graph, const node_t **dependencies, const void **edges,
                                size_t *count);
int cudaGraphCreate(graph_t *graph, unsigned flags);
int cudaGraphDestroy(graph_t graph);
int cudaGraphAddNode(node_t *node, graph_t graph, const node_t *after, size_t count,
                     struct node *params);
int cudaGraphAddNode_v2(node_t *node, graph_t graph, const node_t *after, const void *edges,
                        size_t count, struct node *params);
int cudaGraphAddEmptyNode(node_t *node, graph_t graph, const node_t *after, size_t count);
int cudaGraphAddDependencies(graph_t graph, const node_t *from, const node_t *to, size_t count);
int cudaGraphNodeGetDependencies(node_t node, node_t *dependencies, size_t *count);
int cudaGraphNodeGetDependencies_v2(node_t node, node_t *dependencies, void *edges, size_t *count);
int cudaCreateTextureObject(unsigned long long *object, const void *resource, const void *texture,
                            const void *view);
int cudaGetTextureObjectResourceDesc(void *resource, unsigned long long object);
int cudaGetTextureObjectResourceViewDesc(void *view, unsigned long long object);
int cudaCreateSurfaceObject(unsigned long long *object, const void *resource);
int cudaGetSurfaceObjectResourceDesc(void *resource, unsigned long long object);
int cudaEventCreate(event_t *event);
int cudaEventRecord(event_t event, stream_t stream);
int cudaEventElapsedTime(float *milliseconds, event_t start, event_t end);
int cudaEventElapsedTime_v2(float *milliseconds, event_t start, event_t end);
int cudaThreadSynchronize(void);
int cudaThreadSetLimit(int limit, size_t value);
int cudaThreadGetLimit(size_t *value, int limit);
int cudaThreadExit(void);
int cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                            int *status);
int cuMemAdvise(unsigned long long p, size_t n, int advice, int device);
int cuMemPrefetchAsync(unsigned long long p, size_t n, int device, stream_t stream);
int cuGraphAddNode(node_t *node, graph_t graph, const node_t *after, size_t count,
                   struct node *params);
int cuStreamGetCaptureInfo_v2(stream_t stream, int *status, unsigned long long *id, graph_t *graph,
                              const node_t **dependencies, size_t *count);

/* Memory for a structure of `size` bytes; what is behind it must stay. */
static unsigned char buffer[2048];
static void *fresh(void) {
  return memset(buffer, 0xa5, sizeof buffer);
}
static void check_size(size_t size) {
  size_t end = sizeof buffer;
  while (end > size && buffer[end - 1] == 0xa5) end--;
  CHECK_EQ(end, size);
}
static int int_at(size_t offset) {
  int value;
  memcpy(&value, buffer + offset, sizeof value);
  return value;
}
static void *pointer_at(size_t offset) {
  void *value;
  memcpy(&value, buffer + offset, sizeof value);
  return value;
}

TEST(versions_are_of_cuda_12_on_a_driver_of_13) {
  int version = 0;
  OK(cudaRuntimeGetVersion(&version));
  CHECK_EQ(version / 1000, 12);
  OK(cudaDriverGetVersion(&version));
  CHECK_EQ(version / 1000, 13);
}

TEST(properties_have_the_layout_of_cuda_12) {
  OK(cudaGetDeviceProperties_v2(fresh(), 0));
  check_size(1032);
  CHECK_EQ(int_at(348), 1980000);          /* clockRate */
  CHECK_EQ(int_at(360), 9);                /* major */
  CHECK_EQ(int_at(388), 132);              /* multiProcessorCount */
  CHECK_EQ(int_at(608), 2619000);          /* memoryClockRate */
  CHECK_EQ(int_at(624), 2048);             /* maxThreadsPerMultiProcessor */
  CHECK_EQ(int_at(696), 232448);           /* sharedMemPerBlockOptin */
  CHECK_EQ(int_at(776), 1);                /* unifiedFunctionPointers */
  CHECK_EQ(int_at(780), 0);                /* reserved */
  OK(cudaGetDeviceProperties(fresh(), 0)); /* that of CUDA 11 */
  check_size(728);
  CHECK_EQ(int_at(388), 132);
  CHECK(cudaGetDeviceProperties_v2(buffer, 77) && cudaGetLastError());
}

TEST(pointer_attributes_have_24_bytes) {
  void *p;
  OK(cudaMalloc(&p, 1 << 20));
  OK(cudaPointerGetAttributes(fresh(), p));
  check_size(24);
  CHECK(int_at(0) == 2 && int_at(4) == 0 && pointer_at(8) == p && !pointer_at(16));
  OK(cudaFree(p));
}

TEST(textures_are_made_of_smaller_structures) {
  void *p;
  OK(cudaMalloc(&p, 1 << 20));
  struct {
    int type;
    void *address;
    int channels[5];
    size_t bytes;
    size_t rest[2];
  } linear = {2, p, {32, 0, 0, 0, 2}, 1 << 20, {0}};
  _Static_assert(sizeof linear == 64, "cudaResourceDesc");
  struct {
    int bytes[12];
  } view = {{7, 1, 2}};
  char texture[256] = {0};
  unsigned long long object = 0;
  OK(cudaCreateTextureObject(&object, &linear, texture, &view));
  OK(cudaGetTextureObjectResourceDesc(fresh(), object));
  check_size(64);
  CHECK(int_at(0) == 2 && pointer_at(8) == p && pointer_at(40) == (void *)(1 << 20));
  OK(cudaGetTextureObjectResourceViewDesc(fresh(), object));
  check_size(48);
  CHECK_EQ(int_at(0), 7);
  OK(cudaCreateSurfaceObject(&object, &linear));
  OK(cudaGetSurfaceObjectResourceDesc(fresh(), object));
  check_size(64);
}

TEST(managed_memory_goes_to_a_device_by_its_number) {
  void *p;
  size_t n = 1 << 20;
  int where = -7;
  OK(cudaMallocManaged(&p, n, 1));
  OK(cudaMemAdvise(p, n, 3, 0));
  OK(cudaMemAdvise(p, n, 3, HOST));
  CHECK(cudaMemAdvise(p, n, 3, 77) && cudaGetLastError());
  OK(cudaMemAdvise_v2(p, n, 3, (struct location){ON_DEVICE, 0}));
  OK(cudaMemPrefetchAsync(p, n, 0, NULL));
  OK(cudaMemPrefetchAsync_ptsz(p, n, HOST, NULL));
  CHECK(cudaMemPrefetchAsync(p, n, 77, NULL) && cudaGetLastError());
  OK(cudaMemPrefetchAsync_v2(p, n, (struct location){ON_HOST, 0}, 0, NULL));
  OK(cudaMemRangeGetAttribute(&where, sizeof where, 4, p, n));
  OK(cuMemAdvise((uintptr_t)p, n, 3, HOST));
  OK(cuMemPrefetchAsync((uintptr_t)p, n, 0, NULL));
  CHECK(cuMemPrefetchAsync((uintptr_t)p, n, 77, NULL));
}

static struct node allocation(void) {
  return (struct node){
      .type = ALLOCATE, .pool = {.type = 1, .location = {ON_DEVICE, 0}}, .bytes = 1 << 20};
}

TEST(graphs_are_built_without_data_of_edges) {
  graph_t graph;
  node_t first, second, third, found[2] = {NULL};
  size_t count = 2;
  _Static_assert(sizeof(struct node) == 256, "cudaGraphNodeParams");
  OK(cudaFree(NULL));
  OK(cudaGraphCreate(&graph, 0));
  struct node params = allocation();
  OK(cudaGraphAddNode(&first, graph, NULL, 0, &params));
  CHECK(params.address);
  params = (struct node){.type = EMPTY};
  OK(cudaGraphAddNode_v2(&second, graph, &first, NULL, 1, &params));
  OK(cudaGraphNodeGetDependencies(second, found, &count));
  CHECK(count == 1 && found[0] == first);
  OK(cudaGraphAddEmptyNode(&third, graph, NULL, 0));
  OK(cudaGraphAddDependencies(graph, &second, &third, 1));
  count = 2;
  OK(cudaGraphNodeGetDependencies_v2(third, found, NULL, &count));
  CHECK(count == 1 && found[0] == second);
  params = allocation();
  OK(cuGraphAddNode(&first, graph, NULL, 0, &params));
  CHECK(params.address);
  OK(cudaGraphDestroy(graph));
}

TEST(capture_is_asked_about_in_three_forms) {
  stream_t stream;
  graph_t graph = NULL, at_end;
  int status = -1;
  unsigned long long id[4] = {0};
  const node_t *dependencies;
  const void *edges;
  size_t count = 7;
  OK(cudaStreamCreateWithFlags(&stream, 1));
  OK(cudaStreamBeginCapture(stream, 0));
  OK(cudaStreamGetCaptureInfo(stream, &status, &id[0]));
  CHECK_EQ(status, 1);
  OK(cudaStreamGetCaptureInfo_v2(stream, &status, &id[1], &graph, &dependencies, &count));
  CHECK(graph && count == 0);
  OK(cudaStreamGetCaptureInfo_v3(stream, &status, &id[2], &graph, &dependencies, &edges, &count));
  OK(cuStreamGetCaptureInfo_v2(stream, &status, &id[3], &graph, &dependencies, &count));
  CHECK(id[0] && id[0] == id[1] && id[1] == id[2] && id[2] == id[3]);
  OK(cudaStreamEndCapture(stream, &at_end));
  CHECK(at_end == graph);
}

TEST(what_cuda_13_dropped_is_there) {
  size_t value = 0;
  event_t event;
  float milliseconds = -1;
  OK(cudaThreadSetLimit(0, 4096));
  OK(cudaThreadGetLimit(&value, 0));
  CHECK_EQ(value, 4096);
  OK(cudaThreadSynchronize());
  OK(cudaEventCreate(&event));
  OK(cudaEventRecord(event, NULL));
  OK(cudaEventElapsedTime(&milliseconds, event, event));
  OK(cudaEventElapsedTime_v2(&milliseconds, event, event));
  CHECK(milliseconds == 0);
  OK(cudaThreadExit());
}

TEST(what_cuda_13_added_is_not) {
  CHECK(dlsym(RTLD_DEFAULT, "cudaMalloc"));
  CHECK(!dlsym(RTLD_DEFAULT, "cudaLogsCurrent") && !dlsym(RTLD_DEFAULT, "cudaMemGetMemPool"));
}

TEST(the_driver_gives_the_forms_of_cuda_12) {
  void *function = NULL;
  OK(cudaGetDriverEntryPoint("cuMemPrefetchAsync", &function, 0, NULL));
  CHECK(function == dlsym(RTLD_DEFAULT, "cuMemPrefetchAsync_v2"));
  OK(cudaGetDriverEntryPoint("cuCtxSynchronize", &function, 0, NULL)); /* with a context: in 13 */
  CHECK(function == dlsym(RTLD_DEFAULT, "cuCtxSynchronize"));
}

/* A program of CUDA 12 may use a library of CUDA 13. */
TEST(both_runtimes_share_the_device) {
  void *thirteen = dlopen(CUDART_13, RTLD_NOW | RTLD_LOCAL), *p;
  CHECK(thirteen);
  int (*release)(void *) = thirteen ? (int (*)(void *))dlsym(thirteen, "cudaFree") : NULL;
  OK(cudaMalloc(&p, 1 << 20));
  CHECK(release && release != cudaFree);
  OK(release(p));
  CHECK(cudaFree(p));
}
