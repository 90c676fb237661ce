/* bad_input_test.c - what wrong calls answer. Codes of the tests without options as seen on an
 * H200. */
#include "check.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>

static char host[100000];

TEST(a_second_free_is_refused) {
  void *plain, *pinned, *ordered;
  OK(cudaMalloc(&plain, 8192));
  OK(cudaMallocHost(&pinned, 8));
  OK(cudaMallocAsync(&ordered, 8, NULL));
  OK(cudaFree(plain));
  CHECK_EQ(cudaFree(plain), cudaErrorInvalidValue);
  CHECK_EQ(cudaFreeAsync(plain, NULL), cudaErrorInvalidValue);
  OK(cudaFreeHost(pinned));
  CHECK_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
  OK(cudaFree(ordered));
  CHECK_EQ(cudaFree(ordered), cudaErrorInvalidValue);
  OK(cudaMallocAsync(&ordered, 8, NULL));
  OK(cudaFreeAsync(ordered, NULL));
  CHECK_EQ(cudaFreeAsync(ordered, NULL), cudaErrorInvalidValue);
}

TEST(a_free_takes_starts_of_blocks_of_its_kind) {
  void *plain, *pinned;
  int local;
  OK(cudaMalloc(&plain, 8192));
  OK(cudaMallocHost(&pinned, 8192));
  CHECK_EQ(cudaFree((char *)plain + 1), cudaErrorInvalidValue);
  CHECK_EQ(cudaFree(&local), cudaErrorInvalidValue);
  CHECK_EQ(cudaFreeAsync(&local, NULL), cudaErrorInvalidValue);
  CHECK_EQ(cudaFree(pinned), cudaErrorInvalidValue);
  CHECK_EQ(cudaFreeHost((char *)pinned + 1), cudaErrorInvalidValue);
  CHECK_EQ(cudaFreeHost(&local), cudaErrorInvalidValue);
  CHECK_EQ(cudaFreeHost(plain), cudaErrorInvalidValue);
  OK(cudaFree(plain));
  OK(cudaFreeHost(pinned));
}

TEST(null_may_be_freed_by_the_driver_too) {
  OK(cudaFree(NULL));
  OK(cuMemFree(0));
  OK(cuMemFreeHost(NULL));
  OK(cuMemFreeAsync(0, NULL));
  OK(cudaFreeAsync(NULL, NULL));
}

TEST_WITH(any_device_may_be_current_at_a_free, "devices=2") {
  void *p, *q;
  size_t left, total;
  OK(cudaSetDevice(1));
  OK(cudaMalloc(&p, MIB));
  OK(cudaMallocAsync(&q, MIB, NULL));
  OK(cudaSetDevice(0));
  OK(cudaFree(p));
  OK(cudaFree(q));
  OK(cudaSetDevice(1));
  OK(cudaDeviceSynchronize());
  OK(cudaMemGetInfo(&left, &total));
  CHECK_EQ(left, total);
}

TEST(nothing_is_an_allocation_for_most_functions) {
  CUdeviceptr device;
  size_t pitch;
  void *p = host;
  OK(cudaMalloc(&p, 0));
  CHECK(!p);
  OK(cudaMallocHost(&p, 0));
  OK(cudaMallocManaged(&p, 0, cudaMemAttachGlobal));
  OK(cudaMallocAsync(&p, 0, NULL));
  OK(cudaMallocPitch(&p, &pitch, 8, 0));
  OK(cuMemAllocHost(&p, 0));
  OK(cuMemHostAlloc(&p, 0, 0));
  CHECK_EQ(cuMemAlloc(&device, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(more_than_there_can_be_is_out_of_memory) {
  CUdeviceptr device;
  size_t pitch;
  void *p;
  CHECK_EQ(cudaMalloc(&p, SIZE_MAX), cudaErrorMemoryAllocation);
  CHECK_EQ(cudaMalloc(&p, (size_t)1 << 45), cudaErrorMemoryAllocation);
  CHECK_EQ(cudaMallocHost(&p, SIZE_MAX), cudaErrorMemoryAllocation);
  CHECK_EQ(cudaMallocManaged(&p, (size_t)1 << 50, cudaMemAttachGlobal), cudaErrorMemoryAllocation);
  CHECK_EQ(cudaMallocAsync(&p, SIZE_MAX, NULL), cudaErrorMemoryAllocation);
  CHECK_EQ(cuMemAlloc(&device, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
  CHECK_EQ(cudaMallocPitch(&p, &pitch, (size_t)1 << 50, 4), cudaErrorMemoryAllocation);
}

TEST(rows_that_overflow_are_invalid) {
  const struct cudaExtent box = {GIB, GIB, GIB};
  struct cudaPitchedPtr pitched;
  CUdeviceptr device;
  size_t pitch;
  void *p;
  OK(cudaFree(NULL));
  CHECK_EQ(cudaMallocPitch(&p, &pitch, (size_t)1 << 40, (size_t)1 << 40), cudaErrorInvalidValue);
  CHECK_EQ(cudaMallocPitch(&p, &pitch, SIZE_MAX, 1), cudaErrorInvalidValue);
  CHECK_EQ(cudaMalloc3D(&pitched, box), cudaErrorInvalidValue);
  CHECK_EQ(cuMemAllocPitch(&device, &pitch, 8, 8, 5), CUDA_ERROR_INVALID_VALUE);
}

TEST(results_need_a_place_and_flags_a_meaning) {
  void *p;
  CHECK_EQ(cudaMalloc(NULL, 8), cudaErrorInvalidValue);
  CHECK_EQ(cudaMallocHost(NULL, 8), cudaErrorInvalidValue);
  CHECK_EQ(cudaMallocAsync(NULL, 8, NULL), cudaErrorInvalidValue);
  CHECK_EQ(cudaMallocManaged(&p, 8, 0), cudaErrorInvalidValue);
  CHECK_EQ(cudaHostAlloc(&p, 8, 64), cudaErrorInvalidValue);
}

TEST(memory_is_registered_once) {
  void *pinned, *device;
  OK(cudaHostRegister(host, 9000, 0));
  CHECK_EQ(cudaHostRegister(host, 9000, 0), cudaErrorHostMemoryAlreadyRegistered);
  CHECK_EQ(cudaHostRegister(host + 4096, 9000, 0), cudaErrorHostMemoryAlreadyRegistered);
  CHECK_EQ(cudaHostRegister(host + 20000, 0, 0), cudaErrorInvalidValue);
  CHECK_EQ(cudaHostRegister(NULL, 8, 0), cudaErrorInvalidValue);
  CHECK_EQ(cudaFreeHost(host), cudaErrorInvalidValue);
  CHECK_EQ(cudaFree(host), cudaErrorInvalidValue);
  OK(cudaHostUnregister(host));
  CHECK_EQ(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered);
  CHECK_EQ(cudaHostUnregister(host + 1), cudaErrorHostMemoryNotRegistered);
  OK(cudaMallocHost(&pinned, 8));
  OK(cudaMalloc(&device, 8));
  CHECK_EQ(cudaHostRegister(pinned, 8, 0), cudaErrorInvalidValue);
  CHECK_EQ(cudaHostRegister(device, 8, 0), cudaErrorInvalidValue);
}

TEST(pools_are_used_while_they_exist) {
  struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                        .location = {cudaMemLocationTypeDevice, 0},
                                        .maxSize = MIB};
  cudaMemPool_t pool, standard;
  uint64_t one = 1;
  void *p;
  OK(cudaMemPoolCreate(&pool, &properties));
  OK(cudaMallocFromPoolAsync(&p, 9 * MIB, pool, NULL)); /* the maximum is rounded up */
  CHECK_EQ(cudaMallocFromPoolAsync(&p, 40 * MIB, pool, NULL), cudaErrorMemoryAllocation);
  OK(cudaMemPoolDestroy(pool));
  CHECK_EQ(cudaMallocFromPoolAsync(&p, 8, pool, NULL), cudaErrorInvalidValue);
  OK(cudaDeviceGetDefaultMemPool(&standard, 0));
  CHECK_EQ(cudaMemPoolDestroy(standard), cudaErrorInvalidValue);
  CHECK_EQ(cudaDeviceSetMemPool(0, NULL), cudaErrorInvalidValue);
  CHECK_EQ(cudaDeviceGetDefaultMemPool(&standard, 99), cudaErrorInvalidDevice);
  OK(cudaDeviceGetDefaultMemPool(&standard, 0));
  CHECK_EQ(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReservedMemHigh, &one),
           cudaErrorInvalidValue);
  CHECK_EQ(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReservedMemCurrent, &one),
           cudaErrorInvalidValue);
  CHECK_EQ(cudaMemPoolSetAttribute(standard, (enum cudaMemPoolAttr)99, &one),
           cudaErrorInvalidValue);
}

static cudaError_t array(int x, int y, int z, struct cudaExtent extent, unsigned flags) {
  const struct cudaChannelFormatDesc format = {x, y, z, 0, cudaChannelFormatKindUnsigned};
  cudaArray_t made;
  cudaError_t error = cudaMalloc3DArray(&made, &format, extent, flags);
  if (!error) OK(cudaFreeArray(made));
  return error;
}

TEST(arrays_have_limits) {
  const struct cudaExtent plane = {131072, 1, 0}, wide = {131073, 1, 0}, high = {8, 65537, 0},
                          box = {16384, 16, 2}, large_box = {16385, 16, 2},
                          layers = {32768, 1, 2048}, more_layers = {32768, 1, 2049},
                          small = {8, 8, 0};
  OK(array(32, 0, 0, plane, 0));
  CHECK_EQ(array(32, 0, 0, wide, 0), cudaErrorInvalidValue);
  CHECK_EQ(array(32, 0, 0, high, 0), cudaErrorInvalidValue);
  OK(array(32, 0, 0, box, 0));
  CHECK_EQ(array(32, 0, 0, large_box, 0), cudaErrorInvalidValue);
  OK(array(32, 0, 0, layers, cudaArrayLayered));
  CHECK_EQ(array(32, 0, 0, more_layers, cudaArrayLayered), cudaErrorInvalidValue);
  CHECK_EQ(array(8, 8, 8, small, 0), cudaErrorInvalidChannelDescriptor);
  CHECK_EQ(array(8, 16, 0, small, 0), cudaErrorInvalidChannelDescriptor);
  CHECK_EQ(array(12, 0, 0, small, 0), cudaErrorInvalidChannelDescriptor);
}
