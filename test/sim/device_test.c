/* device_test.c - devices, errors, limits, peers, and what is a thread's own. */
#include "check.h"

#include <cuda_runtime.h>
#include <pthread.h>

TEST_WITH(there_are_as_many_devices_as_asked_for, "devices=3:memory=2GiB:name=Card") {
  struct cudaDeviceProp properties;
  int count = 0, value = 0;
  OK(cudaGetDeviceCount(&count));
  CHECK_EQ(count, 3);
  OK(cudaGetDeviceProperties(&properties, 2));
  CHECK(!strcmp(properties.name, "Card"));
  CHECK_EQ(properties.totalGlobalMem, 2 * GIB);
  CHECK_EQ(properties.pciBusID, 3);
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 2));
  CHECK_EQ(value, properties.maxThreadsPerBlock);
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 2));
  CHECK_EQ(value, properties.major);
  CHECK_EQ(cudaGetDeviceProperties(&properties, 3), cudaErrorInvalidDevice);
}

TEST_WITH(no_devices_is_an_error_of_its_own, "devices=0") {
  int count = -1, device;
  void *p;
  CHECK_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  CHECK_EQ(count, 0);
  CHECK_EQ(cudaMalloc(&p, 4), cudaErrorNoDevice);
  CHECK_EQ(cudaGetDevice(&device), cudaErrorNoDevice);
  CHECK_EQ(cudaSetDevice(0), cudaErrorNoDevice);
}

TEST(devices_that_are_not_there_are_invalid) {
  int device = -1;
  CHECK_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  CHECK_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  OK(cudaGetDevice(&device));
  CHECK_EQ(device, 0);
}

static void *other_thread(void *unused) {
  (void)unused;
  int device = -1;
  OK(cudaGetDevice(&device));
  CHECK_EQ(device, 0);
  OK(cudaSetDevice(2));
  CHECK_EQ(cudaFree(&device), cudaErrorInvalidValue);
  CHECK_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  return NULL;
}

TEST_WITH(device_and_last_error_belong_to_a_thread, "devices=3") {
  pthread_t thread;
  int device = -1;
  OK(cudaSetDevice(1));
  pthread_create(&thread, NULL, other_thread, NULL);
  pthread_join(thread, NULL);
  OK(cudaGetDevice(&device));
  CHECK_EQ(device, 1);
  OK(cudaGetLastError());
}

TEST_WITH(every_device_has_its_own_memory, "devices=2:memory=64MiB") {
  size_t left, total;
  void *p;
  OK(cudaMalloc(&p, 64 * MIB));
  CHECK_EQ(cudaMalloc(&p, 64 * MIB), cudaErrorMemoryAllocation);
  OK(cudaSetDevice(1));
  OK(cudaMemGetInfo(&left, &total));
  CHECK_EQ(left, 64 * MIB);
  OK(cudaMalloc(&p, 64 * MIB));
  struct cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, p));
  CHECK_EQ(a.device, 1);
  OK(cudaSetDevice(0));
  OK(cudaFree(p)); /* from another device than its own */
  OK(cudaSetDevice(1));
  OK(cudaMemGetInfo(&left, &total));
  CHECK_EQ(left, 64 * MIB);
}

TEST_WITH(peers_reach_each_other, "devices=2") {
  int can = -1;
  char text[6] = "hello", back[6] = "";
  void *a, *b;
  OK(cudaDeviceCanAccessPeer(&can, 0, 1));
  CHECK_EQ(can, 1);
  OK(cudaDeviceCanAccessPeer(&can, 1, 1));
  CHECK_EQ(can, 0);
  OK(cudaDeviceEnablePeerAccess(1, 0));
  CHECK_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  OK(cudaMalloc(&a, 6));
  OK(cudaSetDevice(1));
  OK(cudaMalloc(&b, 6));
  OK(cudaMemcpy(a, text, 6, cudaMemcpyHostToDevice));
  OK(cudaMemcpyPeer(b, 1, a, 0, 6));
  OK(cudaMemcpy(back, b, 6, cudaMemcpyDeviceToHost));
  CHECK(!strcmp(back, "hello"));
  CHECK_EQ(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
}

TEST(the_last_error_stays_until_read) {
  void *p;
  CHECK_EQ(cudaMalloc(&p, (size_t)1 << 46), cudaErrorMemoryAllocation);
  OK(cudaSetDevice(0));
  CHECK_EQ(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
  CHECK_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  OK(cudaGetLastError());
}

TEST(errors_have_names_and_texts) {
  CHECK(!strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
  CHECK(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
  CHECK(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
  CHECK(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
  CHECK(!strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"));
}

TEST(limits_are_kept) {
  size_t value = 0;
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 * MIB));
  OK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
  CHECK_EQ(value, 64 * MIB);
  CHECK_EQ(cudaDeviceSetLimit((enum cudaLimit)77, 1), cudaErrorInvalidValue);
}

TEST(versions_are_those_of_cuda_13) {
  int version = 0;
  OK(cudaRuntimeGetVersion(&version));
  CHECK_EQ(version, CUDART_VERSION);
  OK(cudaDriverGetVersion(&version));
  CHECK(version >= CUDART_VERSION);
}

TEST_WITH(reset_frees_what_the_context_has_and_no_other_devices, "devices=2:memory=256MiB") {
  size_t left, total;
  void *a, *c;
  cudaStream_t stream;
  OK(cudaSetDevice(1));
  OK(cudaMalloc(&c, 10 * MIB));
  OK(cudaSetDevice(0));
  OK(cudaStreamCreate(&stream));
  OK(cudaMalloc(&a, 10 * MIB));
  OK(cudaDeviceReset());
  OK(cudaMemGetInfo(&left, &total));
  CHECK_EQ(left, total);
  CHECK_EQ(cudaFree(a), cudaErrorInvalidValue);
  CHECK_EQ(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
  OK(cudaSetDevice(1));
  OK(cudaFree(c));
}

TEST_WITH(devices_are_found_by_their_bus, "devices=4") {
  char bus[16];
  int device = -1;
  OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 3));
  OK(cudaDeviceGetByPCIBusId(&device, bus));
  CHECK_EQ(device, 3);
  CHECK_EQ(cudaDeviceGetByPCIBusId(&device, "0000:77:00.0"), cudaErrorInvalidDevice);
}
