/* memory_test.c - cudaMalloc and similar functions, and what a device has left. */
#include "check.h"

#include <cuda_runtime.h>
#include <stdint.h>

static size_t free_bytes(void) {
  size_t left = 0, total = 0;
  OK(cudaMemGetInfo(&left, &total));
  return left;
}

TEST(malloc_of_nothing_gives_null) {
  void *p = &p;
  OK(cudaMalloc(&p, 0));
  CHECK(p == NULL);
  OK(cudaFree(p));
}

TEST(addresses_are_multiples_of_512) {
  for (size_t size = 1; size < 3 * MIB; size = size * 3 + 1) {
    void *p = NULL;
    OK(cudaMalloc(&p, size));
    CHECK_EQ((uintptr_t)p % 512, 0);
  }
}

TEST(memory_is_taken_from_the_device_in_units_of_two_mebibytes) {
  void *a, *b, *c;
  OK(cudaFree(NULL));
  size_t before = free_bytes();
  OK(cudaMalloc(&a, 1));
  CHECK_EQ(before - free_bytes(), 2 * MIB);
  OK(cudaMalloc(&b, 2 * MIB + 1));
  CHECK_EQ(before - free_bytes(), 6 * MIB);
  OK(cudaMalloc(&c, 5 * MIB));
  CHECK_EQ(before - free_bytes(), 12 * MIB);
  OK(cudaFree(b));
  CHECK_EQ(before - free_bytes(), 8 * MIB);
  OK(cudaFree(a));
  OK(cudaFree(c));
  CHECK_EQ(before - free_bytes(), 0);
}

/* Sizes and sums as seen on an H200. */
TEST(small_blocks_share_a_unit_and_do_not_cross_into_the_next) {
  static const size_t sizes[] = {1,   3 * MIB / 2, MIB + 512, MIB - 512,
                                 MIB, MIB / 2,     700 * KIB, 300 * KIB};
  static const size_t used[] = {2, 2, 4, 4, 6, 6, 8, 8};
  void *p[8];
  OK(cudaFree(NULL));
  size_t before = free_bytes();
  for (int i = 0; i < 8; i++) {
    OK(cudaMalloc(&p[i], sizes[i]));
    CHECK_EQ(before - free_bytes(), used[i] * MIB);
  }
  for (int i = 0; i < 8; i++) OK(cudaFree(p[i]));
  CHECK_EQ(before - free_bytes(), 0);
}

TEST(free_room_between_small_blocks_is_reused) {
  void *p[20], *q[10];
  OK(cudaFree(NULL));
  size_t before = free_bytes();
  for (int i = 0; i < 20; i++) OK(cudaMalloc(&p[i], 300 * KIB));
  CHECK_EQ(before - free_bytes(), 8 * MIB);
  for (int i = 0; i < 20; i += 2) OK(cudaFree(p[i]));
  CHECK_EQ(before - free_bytes(), 8 * MIB);
  for (int i = 0; i < 10; i++) OK(cudaMalloc(&q[i], 300 * KIB));
  CHECK_EQ(before - free_bytes(), 8 * MIB);
  for (int i = 0; i < 20; i++) OK(cudaFree(i % 2 ? p[i] : q[i / 2]));
  CHECK_EQ(before - free_bytes(), 0);
}

TEST_WITH(full_device_is_out_of_memory_and_a_free_makes_room, "memory=64MiB") {
  void *a, *b, *c = &c;
  OK(cudaMalloc(&a, 40 * MIB));
  OK(cudaMalloc(&b, 24 * MIB));
  CHECK_EQ(free_bytes(), 0);
  CHECK_EQ(cudaMalloc(&c, 1), cudaErrorMemoryAllocation);
  CHECK(c == &c);
  OK(cudaFree(b));
  OK(cudaMalloc(&c, 24 * MIB));
}

/* Pages of a device are mapped anywhere: free memory in pieces is free memory. */
TEST_WITH(scattered_free_memory_is_enough, "memory=64MiB") {
  void *p[32], *large;
  for (int i = 0; i < 32; i++) OK(cudaMalloc(&p[i], 2 * MIB));
  for (int i = 0; i < 32; i += 2) OK(cudaFree(p[i]));
  OK(cudaMalloc(&large, 32 * MIB));
  CHECK_EQ(free_bytes(), 0);
}

TEST(absurd_sizes_are_out_of_memory) {
  void *p;
  CHECK_EQ(cudaMalloc(&p, (size_t)1 << 46), cudaErrorMemoryAllocation);
  CHECK_EQ(cudaMalloc(&p, SIZE_MAX), cudaErrorMemoryAllocation);
}

TEST(frees_of_what_was_never_given_are_invalid_values) {
  int here = 0;
  void *p;
  OK(cudaMalloc(&p, 5 * MIB));
  CHECK_EQ(cudaFree((char *)p + 512), cudaErrorInvalidValue);
  CHECK_EQ(cudaFree((void *)(uintptr_t)0x1234), cudaErrorInvalidValue);
  CHECK_EQ(cudaFree(&here), cudaErrorInvalidValue);
  CHECK_EQ(cudaFreeHost(p), cudaErrorInvalidValue);
  OK(cudaFree(p));
  CHECK_EQ(cudaFree(p), cudaErrorInvalidValue);
}

TEST(null_frees_do_nothing) {
  OK(cudaFree(NULL));
  OK(cudaFreeHost(NULL));
  OK(cudaFreeAsync(NULL, NULL));
  OK(cudaFreeArray(NULL));
}

TEST(pinned_memory_is_the_hosts) {
  char *p = NULL;
  OK(cudaFree(NULL));
  size_t before = free_bytes();
  OK(cudaMallocHost((void **)&p, 10 * MIB));
  memset(p, 7, 10 * MIB);
  CHECK_EQ(before - free_bytes(), 0);
  CHECK_EQ(cudaFree(p), cudaErrorInvalidValue);
  OK(cudaFreeHost(p));
  CHECK_EQ(cudaFreeHost(p), cudaErrorInvalidValue);
  CHECK_EQ(cudaHostAlloc((void **)&p, 100, 64), cudaErrorInvalidValue);
  OK(cudaHostAlloc((void **)&p, 100, cudaHostAllocMapped));
  void *device = NULL;
  OK(cudaHostGetDevicePointer(&device, p, 0));
  CHECK(device == p);
  unsigned flags = 0;
  OK(cudaHostGetFlags(&flags, p));
  CHECK(flags & cudaHostAllocMapped);
  OK(cudaFreeHost(p));
}

TEST(managed_memory_is_read_and_written_by_the_host) {
  char *p = NULL;
  OK(cudaMallocManaged((void **)&p, 64 * MIB, cudaMemAttachGlobal));
  memset(p, 1, 64 * MIB);
  CHECK_EQ(p[64 * MIB - 1], 1);
  OK(cudaFree(p));
  OK(cudaMallocManaged((void **)&p, 0, cudaMemAttachGlobal));
  CHECK_EQ(cudaMallocManaged((void **)&p, 100, 4), cudaErrorInvalidValue);
}

TEST_WITH(managed_memory_may_exceed_the_device, "memory=64MiB") {
  void *p;
  OK(cudaMallocManaged(&p, GIB, cudaMemAttachGlobal));
  OK(cudaFree(p));
}

TEST(managed_memory_can_be_advised_and_prefetched) {
  struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
  int here = 0;
  void *p;
  OK(cudaMallocManaged(&p, MIB, cudaMemAttachGlobal));
  OK(cudaMemAdvise(p, MIB, cudaMemAdviseSetReadMostly, device));
  OK(cudaMemPrefetchAsync(p, MIB, device, 0, NULL));
  CHECK_EQ(cudaMemPrefetchAsync(&here, 4, device, 0, NULL), cudaErrorInvalidValue);
  OK(cudaDeviceSynchronize());
  OK(cudaFree(p));
}

TEST(rows_of_pitched_memory_start_at_multiples_of_512) {
  size_t pitch = 0;
  void *p;
  OK(cudaMallocPitch(&p, &pitch, 100, 10));
  CHECK_EQ(pitch, 512);
  OK(cudaFree(p));
  OK(cudaMallocPitch(&p, &pitch, 513, 10));
  CHECK_EQ(pitch, 1024);
  OK(cudaFree(p));
  struct cudaPitchedPtr q;
  struct cudaExtent extent = {100, 10, 3};
  OK(cudaMalloc3D(&q, extent));
  CHECK_EQ(q.pitch, 512);
  CHECK_EQ(q.xsize, 100);
  CHECK_EQ(q.ysize, 10);
  OK(cudaFree(q.ptr));
}

TEST(pointers_tell_what_they_are) {
  struct cudaPointerAttributes a;
  static int here[64];
  void *p, *m, *h;
  OK(cudaPointerGetAttributes(&a, here));
  CHECK_EQ(a.type, cudaMemoryTypeUnregistered);
  CHECK_EQ(a.device, cudaInvalidDeviceId);
  OK(cudaMalloc(&p, 100));
  OK(cudaPointerGetAttributes(&a, (char *)p + 99));
  CHECK_EQ(a.type, cudaMemoryTypeDevice);
  CHECK_EQ(a.device, 0);
  CHECK(a.devicePointer == (char *)p + 99 && a.hostPointer == NULL);
  OK(cudaMallocManaged(&m, 100, cudaMemAttachGlobal));
  OK(cudaPointerGetAttributes(&a, m));
  CHECK_EQ(a.type, cudaMemoryTypeManaged);
  OK(cudaMallocHost(&h, 100));
  OK(cudaPointerGetAttributes(&a, h));
  CHECK_EQ(a.type, cudaMemoryTypeHost);
  CHECK(a.hostPointer == h);
}

TEST(registered_host_memory_is_known_until_unregistered) {
  static int here[64], there[64];
  struct cudaPointerAttributes a;
  OK(cudaHostRegister(here, sizeof here, cudaHostRegisterDefault));
  CHECK_EQ(cudaHostRegister(here, sizeof here, cudaHostRegisterDefault),
           cudaErrorHostMemoryAlreadyRegistered);
  OK(cudaPointerGetAttributes(&a, here));
  CHECK_EQ(a.type, cudaMemoryTypeHost);
  CHECK_EQ(cudaHostUnregister(there), cudaErrorHostMemoryNotRegistered);
  OK(cudaHostUnregister(here));
  CHECK_EQ(cudaHostUnregister(here), cudaErrorHostMemoryNotRegistered);
}

TEST(null_arguments_are_invalid_values) {
  size_t n = 0;
  CHECK_EQ(cudaMalloc(NULL, 4), cudaErrorInvalidValue);
  CHECK_EQ(cudaMallocPitch(NULL, &n, 4, 4), cudaErrorInvalidValue);
  CHECK_EQ(cudaPointerGetAttributes(NULL, NULL), cudaErrorInvalidValue);
}

TEST_WITH(chosen_allocation_fails_once, "fail=2") {
  void *p;
  OK(cudaMalloc(&p, 100));
  CHECK_EQ(cudaMalloc(&p, 100), cudaErrorMemoryAllocation);
  OK(cudaMalloc(&p, 100));
}

TEST_WITH(every_third_allocation_fails, "fail_every=3") {
  void *p;
  for (int i = 1; i <= 9; i++)
    CHECK_EQ(cudaMallocHost(&p, 100), i % 3 ? cudaSuccess : cudaErrorMemoryAllocation);
}

TEST_WITH(chosen_free_fails_and_frees_nothing, "fail_free=2") {
  void *a, *b;
  OK(cudaMalloc(&a, 4 * MIB));
  OK(cudaMalloc(&b, 4 * MIB));
  size_t before = free_bytes();
  OK(cudaFree(a));
  CHECK_EQ(cudaFree(b), cudaErrorInvalidValue);
  CHECK_EQ(free_bytes() - before, 4 * MIB);
  OK(cudaFree(b));
}

TEST_WITH(granularity_is_an_option, "memory=1GiB:granularity=64KiB") {
  void *p;
  size_t before = free_bytes();
  CHECK_EQ(before, GIB);
  OK(cudaMalloc(&p, 1));
  CHECK_EQ(before - free_bytes(), 64 * KIB);
  OK(cudaMalloc(&p, 100 * KIB));
  CHECK_EQ(before - free_bytes(), 192 * KIB);
}
