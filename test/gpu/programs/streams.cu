// Two devices: memory belongs to the device that gave it, not to the one that is current. Exits
// with 77 where there is one.
#include "expect.h"
#include <cuda.h>
#include <cuda_runtime.h>

int main() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count < 2) return 77;
  expect e;
  cudaStream_t there;
  void *a, *b, *c, *d;
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamCreateWithFlags(&there, cudaStreamNonBlocking));
  cudaMemPool_t pool;
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = 1;
  CHECK(cudaMemPoolCreate(&pool, &props));
  CHECK(cudaSetDevice(0));
  int can = 0;
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
  if (can) CHECK(cudaDeviceEnablePeerAccess(1, 0));
  CHECK(cudaMalloc(&a, 1 * MIB));                           // 0
  CHECK(cudaMallocAsync(&b, 2 * MIB, there));               // 1: the stream's
  CHECK(cudaMallocFromPoolAsync(&c, 4 * MIB, pool, there)); // 1: the pool's
  const int leak_line = __LINE__ + 1;
  CHECK(cudaMallocManaged(&d, 8 * MIB)); // 0: the current one
  cudaMemLocation to = {cudaMemLocationTypeDevice, 1};
  CHECK(cudaMemPrefetchAsync(d, 8 * MIB, to, 0, there)); // it lies on 1 now
  CHECK(cudaStreamSynchronize(there));
  CUmemAllocationProp physical = {};
  physical.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  physical.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  physical.location.id = 1;
  CUmemGenericAllocationHandle handle;
  CHECK(cuMemCreate(&handle, 16 * MIB, &physical, 0)); // 1
  CHECK(cudaSetDevice(1));
  CHECK(cudaFree(a)); // of the other device
  CHECK(cudaFreeAsync(b, there));
  CHECK(cudaFreeAsync(c, there));
  CHECK(cudaStreamSynchronize(there));
  CHECK(cuMemRelease(handle));
  e.device(0, 9 * MIB, 1 * MIB, 9 * MIB);
  e.device(1, 22 * MIB, 22 * MIB, 22 * MIB);
  e.leak(leak_line, 8 * MIB);
  return 0;
}
