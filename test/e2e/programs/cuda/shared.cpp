// What a second API or process would hand over, within one process of the simulated device:
// physical memory and pools by a file, external memory; NCCL's allocations; a pool that is used
// after its end.
#include "../../../gpu/programs/expect.h"
#include <cuda.h>
#include <cuda_runtime.h>
#include <unistd.h>

extern "C" int ncclMemAlloc(void **p, size_t n); // nccl.cpp
extern "C" int ncclMemFree(void *p);

static CUmemGenericAllocationHandle made(size_t bytes, int *file) {
  CUmemAllocationProp props = {};
  props.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemGenericAllocationHandle handle;
  CHECK(cuMemCreate(&handle, bytes, &props, 0));
  CHECK(cuMemExportToShareableHandle(file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  return handle;
}

int main() {
  expect e;
  CHECK(cudaFree(nullptr));
  int file;
  CUmemGenericAllocationHandle handle = made(4 * MIB, &file), other;
  // Physical memory by its file: counted separately from its first mapping on, until released and
  // unmapped.
  CUdeviceptr room;
  CHECK(cuMemImportFromShareableHandle(&other, (void *)(uintptr_t)file,
                                       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  CHECK(cuMemAddressReserve(&room, 4 * MIB, 0, 0, 0));
  CHECK(cuMemMap(room, 4 * MIB, 0, other, 0));
  CHECK(cuMemRelease(other));
  CHECK(cuMemUnmap(room, 4 * MIB));
  // The same as external memory: two views of it, counted once.
  cudaExternalMemoryHandleDesc desc = {};
  desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
  desc.handle.fd = dup(file);
  desc.size = 4 * MIB;
  cudaExternalMemory_t external;
  CHECK(cudaImportExternalMemory(&external, &desc));
  cudaExternalMemoryBufferDesc view = {};
  view.size = 2 * MIB;
  void *p, *q;
  CHECK(cudaExternalMemoryGetMappedBuffer(&p, external, &view));
  CHECK(cudaExternalMemoryGetMappedBuffer(&q, external, &view));
  CHECK(cudaFree(p));
  CHECK(cudaFree(q));
  CHECK(cudaDestroyExternalMemory(external));
  close(file);
  CHECK(cuMemRelease(handle));
  // NCCL, and a pool that is gone.
  CHECK(ncclMemAlloc(&p, 3 * MIB));
  CHECK(ncclMemFree(p));
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool;
  CHECK(cudaMemPoolCreate(&pool, &props));
  CHECK(cudaMallocFromPoolAsync(&p, 1 * MIB, pool, nullptr));
  CHECK(cudaMemPoolDestroy(pool));
  if (cudaMallocFromPoolAsync(&q, 1 * MIB, pool, nullptr) == cudaSuccess) return 4;
  if (cudaMemPoolDestroy(pool) == cudaSuccess) return 5;
  (void)cudaGetLastError();
  CHECK(cudaFreeAsync(p, nullptr));
  e.device(0, 8 * MIB, 8 * MIB, 4 * MIB);
  e.device(-2, 8 * MIB, 8 * MIB, 4 * MIB);
  return 0;
}
