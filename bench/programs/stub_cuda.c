/* stub_cuda.c - a CUDA runtime that costs next to nothing, so that what is measured is the
 * profiler.
 *
 * Hands out fake device addresses, 512 bytes apart and never touched: freed ones first, last in
 * first out, then fresh ones. One block is one slot, whatever its size. Not thread safe. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SLOTS (1u << 20)
#define BASE 0x700000000000u
#define SLOT_SIZE 512u

static uint32_t freed[SLOTS];
static uint32_t freed_count;
static uint32_t fresh;

int cudaMalloc(void **p, size_t n);
int cudaFree(void *p);
int cudaGetDevice(int *device);
int cudaGetDeviceCount(int *count);
int cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
int cudaGetDeviceProperties(void *properties, int device);

int cudaMalloc(void **p, size_t n) {
  if (n == 0) {
    *p = NULL;
    return 0;
  }
  uint32_t slot = freed_count ? freed[--freed_count] : fresh++;
  if (slot >= SLOTS) return 2; /* cudaErrorMemoryAllocation */
  *p = (void *)(uintptr_t)(BASE + (uint64_t)slot * SLOT_SIZE);
  return 0;
}

int cudaFree(void *p) {
  if (p) freed[freed_count++] = (uint32_t)(((uintptr_t)p - BASE) / SLOT_SIZE);
  return 0;
}

int cudaGetDevice(int *device) {
  *device = 0;
  return 0;
}

int cudaGetDeviceCount(int *count) {
  *count = 1;
  return 0;
}

int cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  *free_bytes = *total_bytes = (size_t)SLOTS * SLOT_SIZE;
  return 0;
}

/* The name is the first member of cudaDeviceProp. */
int cudaGetDeviceProperties(void *properties, int device) {
  (void)device;
  memcpy(properties, "bench stub", sizeof "bench stub");
  return 0;
}
