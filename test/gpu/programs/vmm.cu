// Virtual memory: physical bytes count once, from cuMemCreate until they are released as often as
// created and retained, and unmapped; addresses alone count nothing.
#include "expect.h"
#include <cuda.h>

static CUmemAllocationProp on_device(int ordinal) {
  CUmemAllocationProp props = {};
  props.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  props.location.id = ordinal;
  return props;
}

int main() {
  expect e;
  CHECK(cuInit(0));
  CUcontext context;
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  const size_t unit = 2 * MIB;
  CUmemAllocationProp props = on_device(0);
  CUmemGenericAllocationHandle first, second, other;
  CUdeviceptr room;
  CHECK(cuMemAddressReserve(&room, 8 * unit, 0, 0, 0));
  CHECK(cuMemCreate(&first, unit, &props, 0));
  CHECK(cuMemCreate(&second, 2 * unit, &props, 0));
  CHECK(cuMemMap(room, unit, 0, first, 0));
  CHECK(cuMemMap(room + unit, 2 * unit, 0, second, 0));
  // Released while mapped, retained by its address, mapped a second time.
  CHECK(cuMemRelease(first));
  CHECK(cuMemRetainAllocationHandle(&other, (void *)room));
  CHECK(cuMemMap(room + 4 * unit, unit, 0, other, 0));
  CHECK(cuMemUnmap(room, unit));
  CHECK(cuMemRelease(other));
  CHECK(cuMemUnmap(room + 4 * unit, unit)); // the last of first: 2 MiB go
  if (cuMemRelease(first) == CUDA_SUCCESS) return 4;
  // A handle that is used again while nothing is left of the block before.
  for (int i = 0; i < 5; i++) {
    CHECK(cuMemCreate(&first, unit, &props, 0));
    CHECK(cuMemRelease(first));
  }
  CHECK(cuMemUnmap(room + unit, 2 * unit));
  const int leak_line = __LINE__ + 1;
  CHECK(cuMemCreate(&other, 3 * unit, &props, 0));
  CHECK(cuMemRelease(second));
  if (cuMemCreate(&first, (size_t)1 << 50, &props, 0) == CUDA_SUCCESS) return 5;
  CHECK(cuMemAddressFree(room, 8 * unit));
  e.device(0, 11 * unit, 8 * unit, 5 * unit);
  e.leak(leak_line, 3 * unit);
  return 0;
}
