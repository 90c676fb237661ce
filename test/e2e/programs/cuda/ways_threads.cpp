// Eight threads that take memory in every way at once, share pools and graphs' lines, and give all
// of it back: nothing may be left, lost or counted twice.
#include "../../../gpu/programs/expect.h"
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

constexpr int THREADS = 8;
static cudaMemPool_t pool;

static void physical(int i) {
  CUmemAllocationProp props = {};
  props.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemGenericAllocationHandle handle, retained;
  CUdeviceptr room;
  CHECK(cuMemAddressReserve(&room, 4 * MIB, 0, 0, 0));
  CHECK(cuMemCreate(&handle, 2 * MIB, &props, 0));
  CHECK(cuMemMap(room, 2 * MIB, 0, handle, 0));
  if (i % 2) CHECK(cuMemRetainAllocationHandle(&retained, (void *)room));
  CHECK(cuMemRelease(handle));
  CHECK(cuMemUnmap(room, 2 * MIB));
  if (i % 2) CHECK(cuMemRelease(retained));
  CHECK(cuMemAddressFree(room, 4 * MIB));
}

static void graph(cudaStream_t stream) {
  cudaGraph_t g;
  cudaGraphExec_t exec;
  void *p;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaMallocAsync(&p, 1 * MIB, stream));
  CHECK(cudaFreeAsync(p, stream));
  CHECK(cudaStreamEndCapture(stream, &g));
  CHECK(cudaGraphInstantiate(&exec, g, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(g));
}

static void work(int rounds) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  void *host = std::aligned_alloc(4096, 8192), *p, *q;
  for (int i = 0; i < rounds; i++) {
    physical(i);
    if (i % 8 == 0) graph(stream);
    CHECK(cudaMallocFromPoolAsync(&p, 3 * MIB, pool, stream));
    CHECK(cudaMallocAsync(&q, 40 * MIB, stream));
    CHECK(cudaFreeAsync(p, stream));
    CHECK(cudaFreeAsync(q, stream));
    CHECK(cudaHostRegister(host, 8192, 0));
    CHECK(cudaHostUnregister(host));
    if (i % 16 == 0) CHECK(cudaMemPoolTrimTo(pool, 0));
  }
  std::free(host);
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 64;
  CHECK(cudaFree(nullptr));
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemPoolCreate(&pool, &props));
  std::vector<std::thread> threads;
  for (int i = 0; i < THREADS; i++) threads.emplace_back(work, rounds);
  for (std::thread &thread : threads) thread.join();
  CHECK(cudaMemPoolDestroy(pool));
  const unsigned long long n = (unsigned long long)THREADS * (unsigned)rounds,
                           graphs = 2ull * THREADS * (((unsigned)rounds + 7) / 8);
  std::printf("vmm %llu pool %llu graph %llu pinned %llu\n", n * 2 * MIB, n * 43 * MIB,
              graphs * MIB, n * 8192);
  return 0;
}
