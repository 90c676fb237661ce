// Programs that run out of device memory, in ways the first argument names. Each keeps its own
// books, line by line, and prints them: what the profiler says of the failure is held against that.
#include <cuda.h>
#include <cuda_runtime.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "gpumemprof/gpumemprof.h"

static const size_t MIB = 1 << 20;

static std::vector<char *> cached;

__attribute__((noinline)) static void load() {
  char *weights;
  cudaMalloc((void **)&weights, 70 * MIB); // LOAD
}
__attribute__((noinline)) static void cache() {
  for (int i = 0; i < 3; i++) {
    char *entry;
    cudaMalloc((void **)&entry, 20 * MIB); // CACHE
    cached.push_back(entry);
  }
}
__attribute__((noinline)) static char *small(size_t bytes) {
  char *p;
  cudaMalloc((void **)&p, bytes); // SMALL
  return p;
}

// 70 + 60 MiB, 6 pieces of 4 MiB on two paths, 7 of 1000 bytes of which 2 are freed, and of a pool
// 10 of 20 MiB.
static void fill(cudaStream_t stream) {
  load();
  cache();
  for (int i = 0; i < 4; i++) small(4 * MIB); // FOUR
  for (int i = 0; i < 2; i++) small(4 * MIB);
  char *tiny[7];
  for (auto &p : tiny) cudaMalloc((void **)&p, 1000); // TINY
  cudaFree(tiny[1]);
  cudaFree(tiny[5]);
  char *kept, *freed;
  cudaMallocAsync((void **)&kept, 10 * MIB, stream); // POOL
  cudaMallocAsync((void **)&freed, 10 * MIB, stream);
  cudaFreeAsync(freed, stream);
}

static void print_memory() {
  size_t free_bytes, total;
  cudaMemGetInfo(&free_bytes, &total);
  printf("memory %zu %zu\n", free_bytes, total);
}

__attribute__((noinline)) static int request(size_t bytes) {
  char *wanted = nullptr;
  int result = cudaMalloc((void **)&wanted, bytes); // REQUEST
  printf("request %d, last error %d\n", result, cudaPeekAtLastError());
  cudaGetLastError();
  return result;
}

// ---- several threads ----

static volatile int ready, done;

__attribute__((noinline)) static void hold(size_t bytes) {
  GPUMEMPROF_SCOPE("holding");
  char *p;
  cudaMalloc((void **)&p, bytes); // HOLD
  __atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
  while (!done) std::this_thread::yield();
  cudaFree(p);
}

static void in_threads(int count) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++) {
    threads.emplace_back(hold, (i + 1) * 3 * MIB);
    while (ready != i + 1) std::this_thread::yield();
  }
  request(4000 * MIB);
  done = 1;
  for (auto &t : threads) t.join();
}

// ---- two devices ----

static void devices() {
  cudaStream_t stream;
  cudaMemPool_t pool;
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = 1;
  char *p;
  cudaMalloc((void **)&p, 5 * MIB); // ZERO
  cudaSetDevice(1);
  cudaStreamCreate(&stream);
  cudaMalloc((void **)&p, 7 * MIB);                       // ONE
  printf("1: %d\n", cudaMalloc((void **)&p, 4000 * MIB)); // DIRECT
  cudaSetDevice(0);
  printf("stream: %d\n", cudaMallocAsync((void **)&p, 4001 * MIB, stream)); // ASYNC
  printf("pool: %d %d\n", cudaMemPoolCreate(&pool, &props),
         cudaMallocFromPoolAsync((void **)&p, 4002 * MIB, pool, nullptr)); // FROM_POOL
  CUmemGenericAllocationHandle handle;
  CUmemAllocationProp where = {};
  where.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  where.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  where.location.id = 1;
  printf("vmm: %d\n", cuMemCreate(&handle, 4004 * MIB, &where, 0)); // CREATE
  printf("0: %d\n", cudaMalloc((void **)&p, 4003 * MIB));           // AGAIN
}

// ---- the rest ----

static void kinds() { // each fails by the option fail_every=1
  void *p;
  CUdeviceptr q;
  size_t pitch;
  cudaArray_t array;
  cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  cudaMallocManaged(&p, 11 * MIB, cudaMemAttachGlobal); // MANAGED
  cudaMallocHost(&p, 12 * MIB);                         // PINNED
  cudaMallocPitch(&p, &pitch, 1000, 13);                // PITCH
  cudaMallocArray(&array, &floats, 64, 64, 0);          // ARRAY
  cuMemAlloc(&q, 14 * MIB);                             // DRIVER
  cudaMallocAsync(&p, 15 * MIB, nullptr);               // ASYNC_KIND
}

static void graph() { // the node fits an empty device; the launch finds it too full
  cudaGraph_t g;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  cudaMemAllocNodeParams params = {};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = 60 * MIB;
  cudaGraphCreate(&g, 0);
  cudaGraphAddMemAllocNode(&node, g, nullptr, 0, &params);
  cudaGraphInstantiate(&exec, g, 0);
  small(50 * MIB);
  printf("launch %d\n", cudaGraphLaunch(exec, nullptr)); // LAUNCH
}

static void own_allocator() {
  char *segment, *other;
  cudaMalloc((void **)&segment, 100 * MIB);
  cudaMalloc((void **)&other, 60 * MIB);
  struct gpumemprof_pool *arena = gpumemprof_pool_create("arena");
  for (int i = 0; i < 10; i++) gpumemprof_pool_alloc(arena, segment + i * 10 * MIB, 10 * MIB);
  gpumemprof_pool_alloc(arena, other, 60 * MIB);
  for (int i : {0, 2, 3, 5, 6}) gpumemprof_pool_free(arena, segment + i * 10 * MIB);
  request(40 * MIB);
}

static void in_child() {
  request(4000 * MIB);
  fflush(stdout);
  pid_t child = fork();
  if (!child) {
    small(3 * MIB);
    request(4001 * MIB);
    exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  printf("child %d\n", status);
}

template <int N>
__attribute__((noinline)) static void one_of_many() { // every instance is a line of its own
  char *p;
  cudaMalloc((void **)&p, (N + 1) * 1000);
  if constexpr (N > 0) one_of_many<N - 1>();
}

__attribute__((noinline)) static int deep(int depth) { // every depth is a call path of its own
  char *p;
  int failed = cudaMalloc((void **)&p, (depth + 1) * 100) != 0; // DEEP
  return depth ? deep(depth - 1) + failed : failed;
}

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  size_t number = argc > 2 ? strtoul(argv[2], nullptr, 10) : 0;
  if (mode == "lines") {
    fill(nullptr);
    print_memory();
    request(number * MIB);
    if (argc > 3) { // what was advised
      for (char *entry : cached) cudaFree(entry);
      request(number * MIB);
    }
  }
  if (mode == "again")
    for (size_t i = 0; i < number; i++) request(4000 * MIB);
  if (mode == "absurd")
    for (size_t i = 0; i < number; i++) request(SIZE_MAX - i);
  if (mode == "threads") in_threads(static_cast<int>(number));
  if (mode == "devices") devices();
  if (mode == "kinds") kinds();
  if (mode == "graph") graph();
  if (mode == "allocator") own_allocator();
  if (mode == "fork") in_child();
  if (mode == "many") {
    one_of_many<99>();
    deep(199);
    request(4000 * MIB);
  }
  if (mode == "killed") {
    small(3 * MIB);
    request(4000 * MIB);
    fflush(stdout);
    raise(SIGKILL);
  }
  if (mode == "probe") {
    auto start = std::chrono::steady_clock::now();
    char *p;
    size_t failed = 0;
    for (size_t i = 0; i < number; i++)
      failed += cudaMalloc((void **)&p, 4000 * MIB + i) != 0; // PROBE
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    printf("%zu failed in %.6f\n", failed, seconds);
  }
  return 0;
}
