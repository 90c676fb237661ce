/* virtual_memory_test.c - addresses reserved, memory created, one mapped to the other. */
#include "check.h"

#include <cuda.h>

static size_t unit;
static CUmemAllocationProp device_memory = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
static const CUmemAccessDesc all = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                    CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

static void start(void) {
  CUcontext context;
  OK(cuInit(0));
  OK(cuCtxCreate(&context, NULL, 0, 0));
  OK(cuMemGetAllocationGranularity(&unit, &device_memory, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CHECK_EQ(unit, 2 * MIB);
}

TEST(mapped_memory_is_accessible_once_access_is_set) {
  CUmemGenericAllocationHandle handle;
  CUdeviceptr p;
  int in = 77, out = 0;
  start();
  CHECK_EQ(cuMemCreate(&handle, 100, &device_memory, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemCreate(&handle, unit, &device_memory, 0));
  CHECK_EQ(cuMemAddressReserve(&p, 100, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemAddressReserve(&p, 4 * unit, 0, 0, 0));
  OK(cuMemMap(p, unit, 0, handle, 0));
  CHECK_EQ(cuMemMap(p, unit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMemcpyHtoD(p, &in, 4), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMemSetAccess(p, 2 * unit, &all, 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemSetAccess(p, unit, &all, 1));
  OK(cuMemcpyHtoD(p, &in, 4));
  OK(cuMemcpyDtoH(&out, p, 4));
  CHECK_EQ(out, 77);
  CHECK_EQ(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMemAddressFree(p, 4 * unit), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(handle));
  OK(cuMemUnmap(p, unit));
  CHECK_EQ(cuMemAddressFree(p, unit), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemAddressFree(p, 4 * unit));
  CHECK_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
}

TEST(physical_memory_is_used_until_its_last_user_is_gone) {
  CUmemGenericAllocationHandle handle;
  CUdeviceptr p;
  size_t before, after, total;
  start();
  OK(cuMemGetInfo(&before, &total));
  OK(cuMemAddressReserve(&p, 8 * unit, 0, 0, 0));
  OK(cuMemGetInfo(&after, &total));
  CHECK_EQ(before - after, 0);
  OK(cuMemCreate(&handle, 8 * unit, &device_memory, 0));
  OK(cuMemMap(p, 8 * unit, 0, handle, 0));
  OK(cuMemRelease(handle));
  OK(cuMemGetInfo(&after, &total));
  CHECK_EQ(before - after, 8 * unit);
  OK(cuMemUnmap(p, 8 * unit));
  OK(cuMemGetInfo(&after, &total));
  CHECK_EQ(before - after, 0);
  OK(cuMemAddressFree(p, 8 * unit));
}

TEST(one_memory_mapped_twice_shows_the_same_bytes) {
  CUmemGenericAllocationHandle handle;
  CUdeviceptr p;
  int in = 5, out = 0;
  start();
  OK(cuMemCreate(&handle, unit, &device_memory, 0));
  OK(cuMemAddressReserve(&p, 2 * unit, 0, 0, 0));
  OK(cuMemMap(p, unit, 0, handle, 0));
  OK(cuMemMap(p + unit, unit, 0, handle, 0));
  OK(cuMemSetAccess(p, 2 * unit, &all, 1));
  OK(cuMemcpyHtoD(p + 100, &in, 4));
  OK(cuMemcpyDtoH(&out, p + unit + 100, 4));
  CHECK_EQ(out, 5);
}

TEST(copies_cross_from_one_mapping_into_the_next) {
  CUmemGenericAllocationHandle a, b;
  CUdeviceptr p;
  char in[16] = "across the edge", out[16] = "";
  start();
  OK(cuMemAddressReserve(&p, 2 * unit, 0, 0, 0));
  OK(cuMemCreate(&b, unit, &device_memory, 0));
  OK(cuMemCreate(&a, unit, &device_memory, 0));
  OK(cuMemMap(p, unit, 0, a, 0));
  OK(cuMemMap(p + unit, unit, 0, b, 0));
  OK(cuMemSetAccess(p, 2 * unit, &all, 1));
  OK(cuMemcpyHtoD(p + unit - 7, in, 16));
  OK(cuMemcpyDtoH(out, p + unit - 7, 16));
  CHECK(!strcmp(in, out));
}

TEST(reservations_keep_to_alignment_and_hint) {
  CUdeviceptr p, q;
  start();
  OK(cuMemAddressReserve(&p, unit, 64 * MIB, 0, 0));
  CHECK_EQ(p % (64 * MIB), 0);
  OK(cuMemAddressReserve(&q, unit, 0, p + unit, 0));
  CHECK_EQ(q, p + unit);
}

TEST_WITH(a_full_device_creates_no_more, "memory=16MiB") {
  CUmemGenericAllocationHandle handle;
  start();
  OK(cuMemCreate(&handle, 16 * MIB, &device_memory, 0));
  CUmemGenericAllocationHandle more;
  CHECK_EQ(cuMemCreate(&more, unit, &device_memory, 0), CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemRelease(handle));
  OK(cuMemCreate(&more, unit, &device_memory, 0));
}

TEST(a_mapping_leads_back_to_its_handle) {
  CUmemGenericAllocationHandle handle, found;
  CUmemAllocationProp properties;
  CUdeviceptr p;
  start();
  OK(cuMemCreate(&handle, unit, &device_memory, 0));
  OK(cuMemAddressReserve(&p, unit, 0, 0, 0));
  OK(cuMemMap(p, unit, 0, handle, 0));
  OK(cuMemRetainAllocationHandle(&found, (void *)p));
  OK(cuMemGetAllocationPropertiesFromHandle(&properties, found));
  CHECK_EQ(properties.location.id, 0);
  OK(cuMemRelease(handle));
  OK(cuMemRelease(found));
}
