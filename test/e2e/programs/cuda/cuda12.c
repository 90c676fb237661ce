/* cuda12.c - every call that CUDA 12 declares otherwise than CUDA 13, declared here as its headers
 * do, so that none of them is needed: nodes of graphs in each function of the first part, uses of
 * memory in the second. Prints what was allocated in which function, and for each use the range;
 * the batches of copies are functions of cuda12_batches.c. The argument says which parts run.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB ((size_t)1 << 10)
typedef unsigned long long device_pointer;
typedef struct stream *stream_type;
struct location {
  int type, id;
};
struct node { /* cudaGraphNodeParams of a node that allocates or frees */
  int type, reserved[3];
  union {
    struct {
      int allocation, handles;
      struct location location;
      char rest[88 - 16];
      const void *access;
      size_t access_count, bytes;
      void *address;
    } alloc;
    void *freed;
    long long size[29];
  };
  long long last;
};
enum { ALLOCATES = 10, FREES = 11 };

int cudaMalloc(void **p, size_t n);
int cudaMallocManaged(void **p, size_t n, unsigned flags);
int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, stream_type stream);
int cudaStreamCreate(stream_type *stream);
int cudaStreamSynchronize(stream_type stream);
int cudaGetDriverEntryPoint(const char *name, void **found, unsigned long long flags, int *status);
int cuGetProcAddress_v2(const char *name, void **found, int version, unsigned long long flags,
                        int *status);

int cudaThreadExit(void);
int cudaGraphAddNode(void **node, void *graph, const void *after, size_t count,
                     struct node *params);
int cudaGraphAddNode_v2(void **node, void *graph, const void *after, const void *data, size_t count,
                        struct node *params);
int cuGraphAddNode(void **node, void *graph, const void *after, size_t count, struct node *params);
int cuGraphAddNode_v2(void **node, void *graph, const void *after, const void *data, size_t count,
                      struct node *params);
int cudaMemPrefetchAsync(const void *p, size_t n, int device, stream_type stream);
int cudaMemPrefetchAsync_ptsz(const void *p, size_t n, int device, stream_type stream);
int cudaMemPrefetchAsync_v2(const void *p, size_t n, struct location to, unsigned flags,
                            stream_type stream);
int cudaMemPrefetchAsync_v2_ptsz(const void *p, size_t n, struct location to, unsigned flags,
                                 stream_type stream);
int cuMemPrefetchAsync(device_pointer p, size_t n, int device, stream_type stream);
int cuMemPrefetchAsync_ptsz(device_pointer p, size_t n, int device, stream_type stream);
#define BATCH(name, pointer)                                                                       \
  int name(pointer *to, pointer *from, size_t *n, size_t count, void *attributes, size_t *indices, \
           size_t different, size_t *failed, stream_type stream);
BATCH(cudaMemcpyBatchAsync, void *)
BATCH(cudaMemcpyBatchAsync_ptsz, void *)
BATCH(cuMemcpyBatchAsync, device_pointer)
BATCH(cuMemcpyBatchAsync_ptsz, device_pointer)
#define BATCH_3D(name)                                                                             \
  int name(size_t count, void *copies, size_t *failed, unsigned long long flags,                   \
           stream_type stream);
BATCH_3D(cudaMemcpy3DBatchAsync)
BATCH_3D(cudaMemcpy3DBatchAsync_ptsz)
BATCH_3D(cuMemcpy3DBatchAsync)
BATCH_3D(cuMemcpy3DBatchAsync_ptsz)

static void checked(int result, const char *what, int line) {
  if (!result) return;
  printf("line %d: %s is %d\n", line, what, result);
  exit(1);
}
#define CHECK(call) checked(call, #call, __LINE__)

/* ---- nodes of graphs ----------------------------------------------------------------------------
 */

static stream_type stream;

static void *graph_made(void) {
  void *graph;
  CHECK(cudaGraphCreate(&graph, 0));
  return graph;
}

static struct node params_of(size_t bytes) {
  struct node p = {.type = ALLOCATES};
  p.alloc.allocation = 1;
  p.alloc.location = (struct location){1, 0};
  p.alloc.bytes = bytes;
  return p;
}

static void launch(void *graph) {
  void *exec;
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
}

static void *found_by(const char *name, int version) {
  void *found = NULL;
  if (version) CHECK(cuGetProcAddress_v2(name, &found, version, 0, NULL));
  else CHECK(cudaGetDriverEntryPoint(name, &found, 0, NULL));
  return found;
}

typedef int (*add_5)(void **node, void *graph, const void *after, size_t count,
                     struct node *params);
typedef int (*add_6)(void **node, void *graph, const void *after, const void *data, size_t count,
                     struct node *params);

/* `added` adds a node to `graph` by `params`. */
#define NODE(function, bytes, added)                                                               \
  __attribute__((noinline)) static void function(void) {                                           \
    void *node, *graph = graph_made();                                                             \
    struct node params = params_of(bytes);                                                         \
    CHECK(added);                                                                                  \
    launch(graph);                                                                                 \
    printf("%s %zu\n", #function, (size_t)(bytes));                                                \
  }
NODE(of_runtime, 64 * KIB, cudaGraphAddNode(&node, graph, NULL, 0, &params))
NODE(of_runtime_v2, 128 * KIB, cudaGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params))
NODE(of_driver, 192 * KIB, cuGraphAddNode(&node, graph, NULL, 0, &params))
NODE(of_driver_v2, 256 * KIB, cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params))
NODE(by_name, 320 * KIB,
     ((add_5)dlsym(RTLD_DEFAULT, "cudaGraphAddNode"))(&node, graph, NULL, 0, &params))
NODE(by_name_v2, 384 * KIB,
     ((add_6)dlsym(RTLD_DEFAULT, "cudaGraphAddNode_v2"))(&node, graph, NULL, NULL, 0, &params))
NODE(by_entry_of_12_0, 448 * KIB,
     ((add_5)found_by("cuGraphAddNode", 12000))(&node, graph, NULL, 0, &params))
NODE(by_entry_of_12_4, 512 * KIB,
     ((add_6)found_by("cuGraphAddNode", 12040))(&node, graph, NULL, NULL, 0, &params))
NODE(by_entry_of_runtime, 576 * KIB,
     ((add_6)found_by("cuGraphAddNode", 0))(&node, graph, NULL, NULL, 0, &params))

__attribute__((noinline)) static void allocates_and_frees(void) {
  void *nodes[2], *graph = graph_made();
  struct node params = params_of(640 * KIB), frees = {.type = FREES};
  CHECK(cudaGraphAddNode(&nodes[0], graph, NULL, 0, &params));
  frees.freed = params.alloc.address;
  CHECK(cudaGraphAddNode(&nodes[1], graph, nodes, 1, &frees));
  launch(graph);
  printf("allocates_and_frees %zu\n", 640 * KIB);
}

__attribute__((noinline)) static void before_exit(void) {
  void *p;
  CHECK(cudaMalloc(&p, 704 * KIB));
  printf("before_exit %zu\n", 704 * KIB);
}

static void nodes(void) {
  of_runtime();
  of_runtime_v2();
  of_driver();
  of_driver_v2();
  by_name();
  by_name_v2();
  by_entry_of_12_0();
  by_entry_of_12_4();
  by_entry_of_runtime();
  allocates_and_frees();
  before_exit();
  CHECK(cudaThreadExit());
}

/* ---- uses ---------------------------------------------------------------------------------------
 */

static char *managed, *from;
static int at; /* each use has the bytes from `at` on, of a length of its own */

#define PREFETCH(call)                                                                             \
  {                                                                                                \
    char *p = managed + at;                                                                        \
    size_t n = 4096 + (size_t)(at += 4096);                                                        \
    CHECK(call);                                                                                   \
    printf("prefetched %d %p %zu\n", __LINE__, (void *)p, n);                                      \
  }

#define COPY(call, pointer)                                                                        \
  {                                                                                                \
    pointer to = (pointer)(managed + at);                                                          \
    pointer source = (pointer)from;                                                                \
    size_t n = 4096 + (size_t)(at += 4096), index = 0, failed = 0;                                 \
    CHECK(call);                                                                                   \
    printf("copied %d %p %zu\n", __LINE__, (void *)to, n);                                         \
  }
#define BATCH_GIVEN &to, &source, &n, 1, NULL, &index, 1, &failed, stream

#define COPY_3D(call)                                                                              \
  {                                                                                                \
    size_t failed = 0;                                                                             \
    CHECK(call);                                                                                   \
    printf("any %d\n", __LINE__);                                                                  \
  }
#define BATCH_3D_GIVEN 3, managed, &failed, 7, stream

typedef int (*prefetch_4)(device_pointer p, size_t n, int device, stream_type stream);
typedef int (*prefetch_5)(device_pointer p, size_t n, struct location to, unsigned flags,
                          stream_type stream);

/* A use is one line, whose number it prints. */
static void uses(void) {
  const struct location device = {1, 0};
  prefetch_4 named = (prefetch_4)dlsym(RTLD_DEFAULT, "cudaMemPrefetchAsync");
  prefetch_5 named_v2 = (prefetch_5)dlsym(RTLD_DEFAULT, "cudaMemPrefetchAsync_v2");
  prefetch_4 of_12_1 = (prefetch_4)found_by("cuMemPrefetchAsync", 12010);
  prefetch_5 of_12_2 = (prefetch_5)found_by("cuMemPrefetchAsync", 12020);
  CHECK(cudaMallocManaged((void **)&managed, KIB * KIB, 1));
  CHECK(cudaMallocManaged((void **)&from, KIB * KIB, 1));
  PREFETCH(cudaMemPrefetchAsync(p, n, 0, stream))
  PREFETCH(cudaMemPrefetchAsync_ptsz(p, n, 0, stream))
  PREFETCH(cudaMemPrefetchAsync_v2(p, n, device, 0, stream))
  PREFETCH(cudaMemPrefetchAsync_v2_ptsz(p, n, device, 0, stream))
  PREFETCH(cuMemPrefetchAsync((device_pointer)p, n, 0, stream))
  PREFETCH(cuMemPrefetchAsync_ptsz((device_pointer)p, n, 0, stream))
  PREFETCH(named((device_pointer)p, n, 0, stream))
  PREFETCH(named_v2((device_pointer)p, n, device, 0, stream))
  PREFETCH(of_12_1((device_pointer)p, n, 0, stream))
  PREFETCH(of_12_2((device_pointer)p, n, device, 0, stream))
  COPY(cudaMemcpyBatchAsync(BATCH_GIVEN), void *)
  COPY(cudaMemcpyBatchAsync_ptsz(BATCH_GIVEN), void *)
  COPY(cuMemcpyBatchAsync(BATCH_GIVEN), device_pointer)
  COPY(cuMemcpyBatchAsync_ptsz(BATCH_GIVEN), device_pointer)
  COPY_3D(cudaMemcpy3DBatchAsync(BATCH_3D_GIVEN))
  COPY_3D(cudaMemcpy3DBatchAsync_ptsz(BATCH_3D_GIVEN))
  COPY_3D(cuMemcpy3DBatchAsync(BATCH_3D_GIVEN))
  COPY_3D(cuMemcpy3DBatchAsync_ptsz(BATCH_3D_GIVEN))
}

int main(int argc, char **argv) {
  (void)argc;
  CHECK(cudaStreamCreate(&stream));
  if (!strcmp(argv[1], "nodes")) nodes();
  else uses();
  return 0;
}
