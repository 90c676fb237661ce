// traps.cu - programs in which a block `a` is used in a way that its kernels' arguments do not
// show, after a larger block was allocated. Nobody may advise to free it before, or to allocate it
// later. Those whose name begins with `clean` use it in no such way. No other block has its size.
// See uses_traps.py.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <thread>

#include "../uses_kernels.h"

enum { N = 1 << 16, SMALL = N * 4 + 700, LARGE = 2 * SMALL + 300 };

#ifdef CLOSED
extern "C" void closed_clear(void *p, size_t n);
#endif

struct item {
  item *next;
  float value;
};
struct either {
  int is_number;
  union {
    float *pointer;
    long number;
  };
};
struct packed {
  float scale;
  unsigned char address[8];
};

__device__ float *table[4];
#ifdef MANAGED // clang has no such variables
__managed__ float *shared[2];
#endif

__global__ void keep(float *x, float **where) {
  *where = x;
}
__global__ void count_items(item *first, int *count) {
  for (item *i = first; i; i = i->next) ++*count;
}
__global__ void take(either e) {
  if (!e.is_number) *e.pointer = 1;
}
__global__ void through_table() {
  *table[1] = 1;
}
#ifdef MANAGED
__global__ void through_shared() {
  *shared[1] = 1;
}
#endif
__global__ void sum(cudaTextureObject_t texture, float *to) {
  *to = tex1Dfetch<float>(texture, 3);
}

// Other memory is at the peak, and a kernel uses it.
#define PEAK(...)                                                                                  \
  float *b = allocate(LARGE);                                                                      \
  scale<<<N / 256, 256>>>(b, 2, N);                                                                \
  __VA_ARGS__;                                                                                     \
  scale<<<N / 256, 256>>>(b, 2, N);                                                                \
  cudaFree(b);                                                                                     \
  cudaFree(a);

static float *allocate(size_t size) {
  float *p = nullptr;
  cudaMalloc(&p, size);
  return p;
}

#include "traps_of_addresses.h"
#include "traps_of_libraries.h"

static void clean() {
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((void)0)
}

// A kernel that follows addresses, but the copy before it has none of `a`.
static void clean_upload() {
  float *c = allocate(4096), **list = (float **)allocate(64);
  float *a = allocate(SMALL);
  static float numbers[N];
  for (int i = 0; i < N; i++) numbers[i] = i;
  cudaMemcpy(a, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  cudaMemcpy(list, &c, sizeof c, cudaMemcpyHostToDevice);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>(list)))
  cudaFree(list);
  cudaFree(c);
}

// No operation on the device reads the pinned memory.
static void clean_beside_pinned() {
  float *a = allocate(SMALL), **list = (float **)allocate(64), **pinned;
  cudaMallocHost(&pinned, 64);
  pinned[0] = pinned[1] = nullptr;
  cudaMemcpy(list, pinned, 64, cudaMemcpyHostToDevice);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>(list)); cudaMemcpy(pinned, list, 64, cudaMemcpyDeviceToHost))
  cudaFree(list);
  cudaFreeHost(pinned);
}

static void clean_rows() {
  static char rows[16][256];
  float *a = allocate(SMALL), *list = allocate(8192);
  cudaMemcpy2D(list, 512, rows, 256, 256, 16, cudaMemcpyHostToDevice);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>((float **)list)))
  cudaFree(list);
}

static void pointer_table() {
  float *a = allocate(SMALL), **list = (float **)allocate(64), *host[8] = {};
  host[5] = a + 9;
  cudaMemcpy(list, host, sizeof host, cudaMemcpyHostToDevice);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>(list + 5)))
  cudaFree(list);
}

// It is 4 bytes behind a multiple of 8 on both sides.
static void packed_address() {
  float *a = allocate(SMALL);
  packed *list = (packed *)allocate(64), host = {};
  memcpy(host.address, &a, sizeof a);
  cudaMemcpyAsync(list, &host, sizeof host, cudaMemcpyHostToDevice, 0);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>((float **)list)))
  cudaFree(list);
}

static void rows_of_addresses() {
  float *a = allocate(SMALL), *list = allocate(8192), *rows[16][32] = {};
  rows[15][31] = a;
  cudaMemcpy2D(list, 512, rows, 256, 256, 16, cudaMemcpyHostToDevice);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>((float **)list)))
  cudaFree(list);
}

static void box_of_addresses() {
  float *a = allocate(SMALL), *list = allocate(8192), *host[4][4][8] = {};
  host[3][2][7] = a;
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(host, 64, 64, 4);
  p.dstPtr = make_cudaPitchedPtr(list, 64, 64, 4);
  p.extent = make_cudaExtent(64, 4, 4);
  p.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&p);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>((float **)list)))
  cudaFree(list);
}

static void symbol() {
  float *a = allocate(SMALL);
  cudaMemcpyToSymbol(table, &a, sizeof a, sizeof a);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((through_table<<<1, 1>>>()))
}

static void linked_list() {
  item *a = (item *)allocate(SMALL), *first = (item *)allocate(64), host = {a, 1};
  int *count = (int *)allocate(4);
  scale<<<N / 256, 256>>>((float *)a, 2, N);
  cudaMemcpy(first, &host, sizeof host, cudaMemcpyHostToDevice);
  PEAK((count_items<<<1, 1>>>(first, count)))
  cudaFree(first);
  cudaFree(count);
}

static void kept() {
  float *a = allocate(SMALL), **list = (float **)allocate(64);
  keep<<<1, 1>>>(a, list);
  PEAK((walk<<<1, 1>>>(list)))
  cudaFree(list);
}

static void in_a_union() {
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  either e = {};
  e.pointer = a;
  PEAK((take<<<1, 1>>>(e)))
}

static void texture() {
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = a;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = N * 4;
  cudaTextureDesc reading = {};
  cudaTextureObject_t object = 0;
  cudaCreateTextureObject(&object, &resource, &reading, nullptr);
  PEAK((sum<<<1, 1>>>(object, b)))
  cudaDestroyTextureObject(object);
}

struct captured {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  captured() {
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  }
  void end() {
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
  }
};

static void graph_after_the_last_use() {
  float *a = allocate(SMALL);
  captured c;
  scale<<<N / 256, 256, 0, c.stream>>>(a, 2, N);
  c.end();
  cudaGraphLaunch(c.exec, c.stream);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(cudaGraphLaunch(c.exec, c.stream))
}

static void captured_last_use() {
  float *a = allocate(SMALL);
  captured c;
  cudaMemsetAsync(a, 0, SMALL, c.stream);
  c.end();
  PEAK(cudaGraphLaunch(c.exec, c.stream))
}

// The content of `a` is still needed: the fill is only captured in between.
static void fill_that_is_only_captured() {
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  float *b = allocate(LARGE);
  scale<<<N / 256, 256>>>(b, 2, N);
  cudaFree(b);
  captured c;
  cudaMemsetAsync(a, 0, SMALL, c.stream);
  c.end();
  scale<<<N / 256, 256>>>(a, 2, N);
  cudaGraphLaunch(c.exec, c.stream);
  cudaFree(a);
}

// The graph copies the address, and a kernel outside of it follows it.
static void graph_stores_an_address() {
  float *a = allocate(SMALL), **list = (float **)allocate(64);
  captured c;
  cudaMemcpyAsync(list, &a, sizeof a, cudaMemcpyHostToDevice, c.stream);
  c.end();
  cudaGraphLaunch(c.exec, c.stream);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>(list)))
  cudaFree(list);
}

// A graph of a node that is added by hand.
static cudaGraph_t graph_that_scales(float *a) {
  float by = 2;
  int n = N;
  void *arguments[] = {&a, &by, &n};
  cudaKernelNodeParams p = {};
  p.func = (void *)scale;
  p.gridDim = dim3(N / 256);
  p.blockDim = dim3(256);
  p.kernelParams = arguments;
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p);
  return graph;
}

static void graph_by_hand() {
  float *a = allocate(SMALL);
  cudaGraph_t graph = graph_that_scales(a);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(cudaGraphLaunch(exec, 0))
}

// The graph has the address of `a` before anything runs.
static void address_in_a_node() {
  float *a = allocate(SMALL);
  cudaGraph_t graph = graph_that_scales(a);
  float *b = allocate(LARGE);
  scale<<<N / 256, 256>>>(b, 2, N);
  cudaFree(b);
  scale<<<N / 256, 256>>>(a, 2, N);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, 0);
  cudaFree(a);
}

#ifdef MANAGED
// The host stores the address itself.
static void managed_variable() {
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  shared[1] = a;
  PEAK((through_shared<<<1, 1>>>()))
}
#endif

static void managed() {
  float *a = nullptr;
  cudaMallocManaged(&a, SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  cudaDeviceSynchronize();
  PEAK(printf("%g\n", a[5]))
}

static void pinned_list() {
  float *a = allocate(SMALL), **list = nullptr;
  cudaMallocHost(&list, 64);
  scale<<<N / 256, 256>>>(a, 2, N);
  list[0] = a;
  PEAK((walk<<<1, 1>>>(list)))
  cudaFreeHost(list);
}

// A kernel copies it to where the other one follows it.
static void moved_from_pinned() {
  float *a = allocate(SMALL), **list = (float **)allocate(64), **pinned = nullptr;
  cudaMallocHost(&pinned, 64);
  scale<<<N / 256, 256>>>(a, 2, N);
  pinned[0] = a;
  move<<<1, 8>>>((double *)list, (const double *)pinned, 8);
  cudaDeviceSynchronize();
  cudaFreeHost(pinned);
  PEAK((walk<<<1, 1>>>(list)))
  cudaFree(list);
}

// The function of the host changes the source of the copy before it is made.
struct change {
  float **source, *address;
};
static void changed_by_the_host() {
  float *a = allocate(SMALL), **list = (float **)allocate(64), **source = nullptr;
  cudaMallocHost(&source, 64);
  memset(source, 0, 64);
  change c = {source, a};
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaLaunchHostFunc(
      stream, [](void *data) { *((change *)data)->source = ((change *)data)->address; }, &c);
  cudaMemcpyAsync(list, source, 64, cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
  cudaFreeHost(source);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>(list)))
  cudaFree(list);
}

static void another_thread() {
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(std::thread([=] { scale<<<N / 256, 256>>>(a, 2, N); }).join())
}

static void exported() {
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  cudaIpcMemHandle_t handle;
  cudaIpcGetMemHandle(&handle, a);
  PEAK((void)0)
}

static void copied_by_the_driver() {
  float *a = allocate(SMALL), *host[4][4] = {};
  CUDA_MEMCPY2D p = {};
  float **list = (float **)allocate(4096);
  host[3][3] = a;
  p.srcMemoryType = CU_MEMORYTYPE_HOST;
  p.srcHost = host;
  p.srcPitch = 32;
  p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  p.dstDevice = (CUdeviceptr)list;
  p.dstPitch = 512;
  p.WidthInBytes = 32;
  p.Height = 4;
  cuMemcpy2D(&p);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK((walk<<<1, 1>>>(list)))
  cudaFree(list);
}

static void filled_last() {
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(cudaMemset3D(make_cudaPitchedPtr(a, 512, 512, 4), 0, make_cudaExtent(256, 4, 2)))
}

#ifdef CLOSED
static void not_rebuilt() {
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(closed_clear(a, 64))
}
#endif

#define WAY(name) {#name, name}
static const struct {
  const char *name;
  void (*run)();
} ways[] = {
#ifdef CLOSED
    WAY(not_rebuilt),
#elif defined MANAGED
    WAY(managed_variable),
#else
    WAY(clean),
    WAY(clean_upload),
    WAY(clean_library_call),
    WAY(clean_library_beside_addresses),
    WAY(clean_beside_pinned),
    WAY(clean_rows),
    WAY(pointer_table),
    WAY(packed_address),
    WAY(packed_by_value),
    WAY(packed_records),
    {"in_shorts", in_numbers<short>},
    {"in_ints", in_numbers<int>},
    {"in_floats", in_numbers<float>},
    {"in_doubles", in_numbers<double>},
    WAY(clean_numbers),
    WAY(stored_by_assembly),
    WAY(stored_by_assembly_in_a_variable),
    WAY(in_two_copies),
    WAY(counts_from_one),
    WAY(counts_from_one_behind_a_gap),
    WAY(clean_before_the_end),
    WAY(end_in_a_copy),
    WAY(counts_from_one_in_a_copy),
    WAY(counts_from_one_in_a_copy_behind_a_block),
    WAY(counts_from_one_in_a_copy_behind_a_gap),
    WAY(counts_from_one_in_a_symbol),
    WAY(clean_far_from_a_copy),
    WAY(rows_of_addresses),
    WAY(box_of_addresses),
    WAY(symbol),
    WAY(linked_list),
    WAY(kept),
    WAY(in_a_union),
    WAY(texture),
    WAY(graph_after_the_last_use),
    WAY(captured_last_use),
    WAY(fill_that_is_only_captured),
    WAY(graph_stores_an_address),
    WAY(graph_by_hand),
    WAY(address_in_a_node),
    WAY(library_workspace),
    WAY(library_attribute),
    WAY(library_last),
    WAY(library_list),
    WAY(sent),
    WAY(being_sent),
    WAY(clean_that_is_not_sent),
    WAY(sent_by_a_library_of_the_filter),
    WAY(library_batch),
    WAY(managed),
    WAY(pinned_list),
    WAY(moved_from_pinned),
    WAY(changed_by_the_host),
    WAY(another_thread),
    WAY(exported),
    WAY(copied_by_the_driver),
    WAY(filled_last),
    WAY(clean_found_by_name),
    WAY(found_by_name),
    WAY(found_by_the_driver),
    WAY(found_in_a_library)
#endif
};

int main(int count, char **arguments) {
  for (const auto &way : ways)
    if (count < 2) puts(way.name);
    else if (!strcmp(way.name, arguments[1])) way.run();
}
