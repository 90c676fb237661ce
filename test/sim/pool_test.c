/* pool_test.c - stream-ordered memory. Figures as seen on an H200. */
#include "check.h"

#include <cuda_runtime.h>
#include <stdint.h>

static cudaMemPool_t pool;
static cudaStream_t stream;

static void start(void) {
  OK(cudaStreamCreate(&stream));
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
}

static uint64_t ask(enum cudaMemPoolAttr attribute) {
  uint64_t value = 0;
  OK(cudaMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

#define RESERVED ask(cudaMemPoolAttrReservedMemCurrent)
#define USED ask(cudaMemPoolAttrUsedMemCurrent)

TEST(used_counts_what_was_asked_for_and_reserved_grows_by_32_mebibytes) {
  void *p;
  start();
  CHECK_EQ(RESERVED, 0);
  OK(cudaMallocAsync(&p, 1, stream));
  CHECK_EQ(USED, 1);
  CHECK_EQ(RESERVED, 32 * MIB);
  OK(cudaMallocAsync(&p, 1000, stream));
  CHECK_EQ(USED, 1001);
  OK(cudaMallocAsync(&p, 40 * MIB, stream));
  CHECK_EQ(RESERVED, 64 * MIB);
  OK(cudaMallocAsync(&p, 20 * MIB, stream));
  CHECK_EQ(RESERVED, 64 * MIB);
  OK(cudaMallocAsync(&p, 100 * MIB, stream));
  CHECK_EQ(RESERVED, 192 * MIB);
  CHECK_EQ(USED, 160 * MIB + 1001);
  CHECK_EQ(ask(cudaMemPoolAttrUsedMemHigh), 160 * MIB + 1001);
}

TEST(synchronisation_gives_back_what_is_above_the_threshold) {
  void *a, *b;
  start();
  CHECK_EQ(ask(cudaMemPoolAttrReleaseThreshold), 0);
  OK(cudaMallocAsync(&a, 60 * MIB, stream));
  OK(cudaMallocAsync(&b, 100 * MIB, stream));
  OK(cudaFreeAsync(b, stream));
  CHECK_EQ(RESERVED, 160 * MIB);
  OK(cudaStreamSynchronize(stream));
  CHECK_EQ(RESERVED, 64 * MIB);
  OK(cudaFreeAsync(a, stream));
  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  OK(cudaEventRecord(event, stream));
  OK(cudaEventSynchronize(event));
  CHECK_EQ(RESERVED, 0);
  CHECK_EQ(ask(cudaMemPoolAttrReservedMemHigh), 160 * MIB);
}

TEST(threshold_keeps_memory_until_trimmed) {
  uint64_t all = UINT64_MAX;
  void *p;
  start();
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  OK(cudaMallocAsync(&p, 100 * MIB, stream));
  OK(cudaFreeAsync(p, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK_EQ(RESERVED, 128 * MIB);
  OK(cudaMemPoolTrimTo(pool, 40 * MIB));
  CHECK_EQ(RESERVED, 64 * MIB);
  OK(cudaMemPoolTrimTo(pool, 0));
  CHECK_EQ(RESERVED, 0);
}

TEST(freed_memory_is_reused) {
  void *a, *b;
  start();
  OK(cudaMallocAsync(&a, 10 * MIB, stream));
  OK(cudaFreeAsync(a, stream));
  OK(cudaMallocAsync(&b, 10 * MIB, stream));
  CHECK(a == b);
}

TEST(high_marks_can_only_be_reset) {
  uint64_t zero = 0, five = 5;
  void *p;
  start();
  OK(cudaMallocAsync(&p, 10 * MIB, stream));
  OK(cudaFreeAsync(p, stream));
  CHECK_EQ(ask(cudaMemPoolAttrUsedMemHigh), 10 * MIB);
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
  CHECK_EQ(ask(cudaMemPoolAttrUsedMemHigh), 0);
  CHECK_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &five), cudaErrorInvalidValue);
  CHECK_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &zero),
           cudaErrorInvalidValue);
}

TEST_WITH(a_malloc_that_finds_the_device_full_takes_what_pools_keep, "memory=1GiB") {
  uint64_t all = UINT64_MAX;
  void *p, *q;
  start();
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  OK(cudaMallocAsync(&p, 768 * MIB, stream));
  CHECK_EQ(cudaMalloc(&q, 512 * MIB), cudaErrorMemoryAllocation);
  OK(cudaFreeAsync(p, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK_EQ(RESERVED, 768 * MIB);
  OK(cudaMalloc(&q, 512 * MIB));
  CHECK_EQ(RESERVED, 0);
}

TEST_WITH(a_full_device_fails_stream_ordered_allocations_too, "memory=64MiB") {
  void *p;
  start();
  CHECK_EQ(cudaMallocAsync(&p, 65 * MIB, stream), cudaErrorMemoryAllocation);
  OK(cudaMallocAsync(&p, 60 * MIB, stream));
  CHECK_EQ(cudaMallocAsync(&p, 60 * MIB, stream), cudaErrorMemoryAllocation);
}

TEST(either_free_takes_either_kind_of_memory) {
  void *p, *q;
  start();
  OK(cudaMallocAsync(&p, MIB, stream));
  OK(cudaMalloc(&q, MIB));
  OK(cudaFree(p));
  OK(cudaFreeAsync(q, stream));
  OK(cudaMallocAsync(&p, 0, stream));
}

TEST(own_pools_have_a_maximum_and_outlive_their_handle) {
  struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                        .location = {cudaMemLocationTypeDevice, 0},
                                        .maxSize = 64 * MIB};
  cudaMemPool_t mine;
  void *p, *q;
  start();
  OK(cudaMemPoolCreate(&mine, &properties));
  OK(cudaMallocFromPoolAsync(&p, 48 * MIB, mine, stream));
  CHECK_EQ(cudaMallocFromPoolAsync(&q, 48 * MIB, mine, stream), cudaErrorMemoryAllocation);
  OK(cudaMemPoolDestroy(mine));
  OK(cudaFreeAsync(p, stream));
  CHECK_EQ(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
  properties.location.id = 99;
  CHECK_EQ(cudaMemPoolCreate(&mine, &properties), cudaErrorInvalidValue);
}

TEST(the_current_pool_is_the_one_set) {
  struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                        .location = {cudaMemLocationTypeDevice, 0}};
  cudaMemPool_t mine, found;
  void *p;
  start();
  OK(cudaDeviceGetMemPool(&found, 0));
  CHECK(found == pool);
  OK(cudaMemPoolCreate(&mine, &properties));
  OK(cudaDeviceSetMemPool(0, mine));
  OK(cudaDeviceGetMemPool(&found, 0));
  CHECK(found == mine);
  OK(cudaMallocAsync(&p, MIB, stream));
  CHECK_EQ(USED, 0);
  pool = mine;
  CHECK_EQ(USED, MIB);
}

TEST(pools_may_be_of_the_host_or_managed) {
  struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypeManaged,
                                        .location = {cudaMemLocationTypeDevice, 0}};
  struct cudaPointerAttributes attributes;
  cudaMemPool_t mine;
  void *p;
  start();
  OK(cudaMemPoolCreate(&mine, &properties));
  OK(cudaMallocFromPoolAsync(&p, 8, mine, stream));
  OK(cudaPointerGetAttributes(&attributes, p));
  CHECK_EQ(attributes.type, cudaMemoryTypeManaged);
  CHECK_EQ(attributes.device, 0);
  OK(cudaFreeAsync(p, stream));
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeHost;
  OK(cudaMemPoolCreate(&mine, &properties));
  OK(cudaMallocFromPoolAsync(&p, 8, mine, stream));
  OK(cudaStreamSynchronize(stream));
  strcpy(p, "host");
  OK(cudaPointerGetAttributes(&attributes, p));
  CHECK_EQ(attributes.type, cudaMemoryTypeHost);
  CHECK(attributes.hostPointer == p);
  properties.location.type = cudaMemLocationTypeHostNuma;
  OK(cudaMemPoolCreate(&mine, &properties));
  properties.location.type = cudaMemLocationTypeHostNumaCurrent;
  CHECK_EQ(cudaMemPoolCreate(&mine, &properties), cudaErrorInvalidValue);
}

TEST(places_have_default_pools) {
  struct cudaMemLocation host = {cudaMemLocationTypeHost, 0},
                         near = {cudaMemLocationTypeHostNumaCurrent, 0},
                         device = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t found;
  start();
  OK(cudaMemGetDefaultMemPool(&found, &device, cudaMemAllocationTypePinned));
  CHECK(found == pool);
  OK(cudaMemGetDefaultMemPool(&found, &host, cudaMemAllocationTypePinned));
  CHECK(found != pool);
  OK(cudaMemGetDefaultMemPool(&found, &host, cudaMemAllocationTypeManaged));
  CHECK_EQ(cudaMemGetDefaultMemPool(&found, &near, cudaMemAllocationTypePinned),
           cudaErrorNotSupported);
}

TEST_WITH(every_attribute_of_a_pool_can_be_asked_and_kept, "devices=1") {
  uint64_t zero = 0, keep = 48 * MIB;
  int off = 0, value = 1;
  void *a, *b;
  start();
  for (int i = cudaMemPoolReuseFollowEventDependencies;
       i <= cudaMemPoolReuseAllowInternalDependencies; i++) {
    OK(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)i, &value));
    CHECK_EQ(value, 1);
    OK(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)i, &off));
    OK(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)i, &value));
    CHECK_EQ(value, 0);
  }
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  OK(cudaMallocAsync(&a, 30 * MIB, stream));
  OK(cudaMallocAsync(&b, 60 * MIB, stream));
  OK(cudaFreeAsync(a, stream));
  OK(cudaFreeAsync(b, stream));
  CHECK_EQ(RESERVED, 96 * MIB);
  OK(cudaDeviceSynchronize());
  CHECK_EQ(RESERVED, 64 * MIB); /* as little as whole units allow */
  CHECK_EQ(ask(cudaMemPoolAttrReservedMemHigh), 96 * MIB);
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &zero));
  CHECK_EQ(ask(cudaMemPoolAttrReservedMemHigh), 64 * MIB);
  CHECK_EQ(ask(cudaMemPoolAttrUsedMemHigh), 90 * MIB);
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
  CHECK_EQ(ask(cudaMemPoolAttrUsedMemHigh), 0);
}
