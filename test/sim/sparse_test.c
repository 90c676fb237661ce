/* sparse_test.c - arrays without memory of their own, mipmapped arrays of the driver, and multicast
 * objects. Codes and figures of the tests without options as seen on an H200.
 */
#include "check.h"

#include <cuda.h>
#include <cuda_runtime.h>

static size_t taken(void) {
  size_t left, total;
  OK(cudaMemGetInfo(&left, &total));
  return total - left;
}

static CUDA_ARRAY3D_DESCRIPTOR square(size_t width, unsigned flags) {
  CUDA_ARRAY3D_DESCRIPTOR d = {.Width = width,
                               .Height = width,
                               .Format = CU_AD_FORMAT_FLOAT,
                               .NumChannels = 1,
                               .Flags = flags};
  return d;
}

TEST(a_sparse_array_takes_no_memory) {
  CUDA_ARRAY3D_DESCRIPTOR d = square(512, CUDA_ARRAY3D_SPARSE);
  CUDA_ARRAY_SPARSE_PROPERTIES tiles;
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
  CUmipmappedArray mipmap;
  CUarray array;
  OK(cudaFree(NULL));
  size_t before = taken();
  OK(cuArray3DCreate(&array, &d));
  OK(cuArrayGetSparseProperties(&tiles, array));
  CHECK_EQ(tiles.tileExtent.width, 128);
  CHECK_EQ(tiles.tileExtent.height, 128);
  CHECK_EQ(tiles.miptailFirstLevel, 0);
  CHECK_EQ(tiles.miptailSize, 0);
  CHECK_EQ(cuArrayGetMemoryRequirements(&needs, array, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMipmappedArrayCreate(&mipmap, &d, 4));
  OK(cuMipmappedArrayGetSparseProperties(&tiles, mipmap));
  CHECK_EQ(tiles.miptailFirstLevel, 3);
  CHECK_EQ(tiles.miptailSize, 65536);
  CHECK_EQ(taken(), before);
  OK(cuArrayDestroy(array));
  OK(cuMipmappedArrayDestroy(mipmap));
}

TEST(an_array_of_deferred_mapping_tells_what_it_needs) {
  CUDA_ARRAY3D_DESCRIPTOR d = square(512, CUDA_ARRAY3D_DEFERRED_MAPPING), plain = square(512, 0);
  CUDA_ARRAY_SPARSE_PROPERTIES tiles;
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
  CUarray array;
  OK(cudaFree(NULL));
  size_t before = taken();
  OK(cuArray3DCreate(&array, &d));
  CHECK_EQ(taken(), before);
  OK(cuArrayGetMemoryRequirements(&needs, array, 0));
  CHECK_EQ(needs.size, MIB);
  CHECK_EQ(needs.alignment, 65536);
  OK(cuArrayDestroy(array));
  OK(cuArray3DCreate(&array, &plain));
  CHECK_EQ(taken() - before, 2 * MIB);
  CHECK_EQ(cuArrayGetMemoryRequirements(&needs, array, 0), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuArrayGetSparseProperties(&tiles, array), CUDA_ERROR_INVALID_VALUE);
  OK(cuArrayDestroy(array));
}

TEST(levels_are_as_many_as_make_sense) {
  CUDA_ARRAY3D_DESCRIPTOR d = square(1 << 14, 0);
  CUmipmappedArray mipmap;
  CUarray level;
  OK(cudaFree(NULL));
  size_t before = taken();
  d.Height /= 2;
  OK(cuMipmappedArrayCreate(&mipmap, &d, 99));
  OK(cuMipmappedArrayGetLevel(&level, mipmap, 14));
  CHECK_EQ(cuMipmappedArrayGetLevel(&level, mipmap, 15), CUDA_ERROR_INVALID_VALUE);
  CHECK(taken() - before >= 682 * MIB && taken() - before <= 686 * MIB);
  OK(cuMipmappedArrayGetLevel(&level, mipmap, 1));
  OK(cuArrayDestroy(level)); /* goes with the others */
  OK(cuMipmappedArrayDestroy(mipmap));
  CHECK_EQ(taken(), before);
  OK(cuMipmappedArrayCreate(&mipmap, &d, 0));
  CHECK_EQ(taken() - before, 512 * MIB);
  OK(cuMipmappedArrayDestroy(mipmap));
  d.Width = 0;
  CHECK_EQ(cuArray3DCreate(&level, &d), CUDA_ERROR_INVALID_VALUE);
  d.Width = (size_t)1 << 40;
  CHECK_EQ(cuArray3DCreate(&level, &d), CUDA_ERROR_INVALID_VALUE);
}

TEST_WITH(the_runtime_asks_the_same, "devices=1") {
  const struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  const struct cudaExtent extent = {512, 512, 0};
  struct cudaArrayMemoryRequirements needs;
  struct cudaArraySparseProperties tiles;
  cudaMipmappedArray_t mipmap;
  cudaArray_t array;
  OK(cudaMalloc3DArray(&array, &format, extent, cudaArrayDeferredMapping));
  OK(cudaArrayGetMemoryRequirements(&needs, array, 0));
  CHECK_EQ(needs.size, MIB);
  CHECK_EQ(cudaArrayGetSparseProperties(&tiles, array), cudaErrorInvalidValue);
  OK(cudaMallocMipmappedArray(&mipmap, &format, extent, 4, cudaArraySparse));
  OK(cudaMipmappedArrayGetSparseProperties(&tiles, mipmap));
  CHECK_EQ(tiles.miptailFirstLevel, 3);
  CHECK_EQ(cudaMipmappedArrayGetMemoryRequirements(&needs, mipmap, 0), cudaErrorInvalidValue);
  CHECK_EQ(cudaMipmappedArrayGetMemoryRequirements(&needs, NULL, 0),
           cudaErrorInvalidResourceHandle);
}

TEST_WITH(tiles_keep_memory_until_they_are_unmapped, "memory=64MiB") {
  CUmemAllocationProp pool = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                              .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                              .allocFlags = {.usage = CU_MEM_CREATE_USAGE_TILE_POOL}};
  CUDA_ARRAY3D_DESCRIPTOR d = square(512, CUDA_ARRAY3D_SPARSE);
  CUmemGenericAllocationHandle handle;
  CUarray array;
  float in = 3, out = 0;
  OK(cudaFree(NULL));
  OK(cuArray3DCreate(&array, &d));
  CHECK_EQ(cuMemcpyHtoA(array, 0, &in, sizeof in), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemCreate(&handle, 2 * MIB, &pool, 0));
  CUarrayMapInfo map = {.resourceType = CU_RESOURCE_TYPE_ARRAY,
                        .resource = {.array = array},
                        .subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL,
                        .memOperationType = CU_MEM_OPERATION_TYPE_MAP,
                        .memHandleType = CU_MEM_HANDLE_TYPE_GENERIC,
                        .memHandle = {handle},
                        .deviceBitMask = 1};
  map.subresource.sparseLevel.extentWidth = map.subresource.sparseLevel.extentHeight = 128;
  OK(cuMemMapArrayAsync(&map, 1, NULL));
  OK(cuMemMapArrayAsync(&map, 1, NULL)); /* instead of what was there */
  OK(cuMemRelease(handle));
  CHECK_EQ(taken(), 2 * MIB);
  OK(cuMemcpyHtoA(array, 0, &in, sizeof in));
  OK(cuMemcpyAtoH(&out, array, 0, sizeof out));
  CHECK(out == 3);
  CHECK_EQ(cuMemMapArrayAsync(&map, 1, NULL), CUDA_ERROR_INVALID_VALUE); /* the handle is gone */
  map.memOperationType = CU_MEM_OPERATION_TYPE_UNMAP;
  map.memHandle.memHandle = 0;
  OK(cuMemMapArrayAsync(&map, 1, NULL));
  CHECK_EQ(taken(), 0);
  CHECK_EQ(cuMemcpyHtoA(array, 0, &in, sizeof in), CUDA_ERROR_INVALID_VALUE);
  OK(cuArrayDestroy(array));
}

TEST_WITH(a_destroyed_array_lets_its_tiles_go, "memory=64MiB") {
  CUmemAllocationProp pool = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                              .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  CUDA_ARRAY3D_DESCRIPTOR d = square(512, CUDA_ARRAY3D_SPARSE), plain = square(512, 0);
  CUmemGenericAllocationHandle handle;
  CUmipmappedArray mipmap;
  CUarray array;
  OK(cudaFree(NULL));
  OK(cuMipmappedArrayCreate(&mipmap, &d, 4));
  OK(cuMemCreate(&handle, 2 * MIB, &pool, 0));
  CUarrayMapInfo map = {.resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
                        .resource = {.mipmap = mipmap},
                        .subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL,
                        .memOperationType = CU_MEM_OPERATION_TYPE_MAP,
                        .memHandle = {handle},
                        .deviceBitMask = 1};
  OK(cuMemMapArrayAsync(&map, 1, NULL));
  OK(cuMemRelease(handle));
  CHECK_EQ(taken(), 2 * MIB);
  OK(cuMipmappedArrayDestroy(mipmap));
  CHECK_EQ(taken(), 0);
  OK(cuArray3DCreate(&array, &plain));
  map.resourceType = CU_RESOURCE_TYPE_ARRAY;
  map.resource.array = array;
  CHECK_EQ(cuMemMapArrayAsync(&map, 1, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST_WITH(memory_bound_to_a_multicast_object_stays, "memory=64MiB:devices=2") {
  CUmulticastObjectProp properties = {.numDevices = 2, .size = 4 * MIB};
  CUmemAllocationProp here = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                              .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  CUmemGenericAllocationHandle team, memory;
  CUdeviceptr p;
  size_t unit = 0;
  OK(cudaFree(NULL));
  OK(cuMulticastGetGranularity(&unit, &properties, CU_MULTICAST_GRANULARITY_MINIMUM));
  CHECK_EQ(unit, 2 * MIB);
  OK(cuMulticastCreate(&team, &properties));
  CHECK_EQ(taken(), 0);
  OK(cuMemCreate(&memory, 2 * MIB, &here, 0));
  OK(cuMulticastAddDevice(team, 0));
  CHECK_EQ(cuMulticastBindMem(team, 0, memory, 0, 2 * MIB, 0), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMulticastAddDevice(team, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMulticastAddDevice(team, 1));
  OK(cuMulticastBindMem(team, 2 * MIB, memory, 0, 2 * MIB, 0));
  CHECK_EQ(cuMulticastBindMem(team, 2 * MIB, memory, 0, 2 * MIB, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemAddressReserve(&p, 2 * MIB, 0, 0, 0));
  OK(cuMemMap(p, 2 * MIB, 0, memory, 0));
  OK(cuMulticastBindAddr(team, 0, p, 2 * MIB, 0));
  OK(cuMemUnmap(p, 2 * MIB));
  OK(cuMemRelease(memory));
  OK(cuMulticastUnbind(team, 0, 0, 2 * MIB));
  CHECK_EQ(taken(), 2 * MIB);
  OK(cuMulticastUnbind(team, 0, 2 * MIB, 2 * MIB));
  CHECK_EQ(taken(), 0);
  CHECK_EQ(cuMulticastUnbind(team, 0, 0, 2 * MIB), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(team));
}
