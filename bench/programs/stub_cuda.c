/* stub_cuda.c - a CUDA runtime that costs next to nothing, so that what is measured is the
 * profiler.
 *
 * Hands out fake device addresses, 512 bytes apart and never touched: those its thread freed first,
 * last in first out, then fresh ones. One block is one slot, whatever its size. Threads share
 * nothing but the counter that they take their ranges of fresh slots from. It is the driver as
 * well, which the runtime asks for the device: it looks into libcuda.so.1 alone.
 *
 * BENCH_NUMBERED: each allocation and each free also takes the next number of a counter that all
 * threads share. No profiler that puts the events of a device in one order can do less. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS (1u << 26)
#define RANGE 4096u
#define BASE 0x700000000000u
#define SLOT_SIZE 512u

static _Atomic uint32_t ranges;
static __attribute__((tls_model("initial-exec"))) _Thread_local struct {
  uint32_t *freed;
  uint32_t count, room, fresh, fresh_end;
} mine;

int cudaMalloc(void **p, size_t n);
int cudaFree(void *p);
int cudaMallocAsync(void **p, size_t n, void *stream);
int cudaFreeAsync(void *p, void *stream);
int cuCtxGetDevice(int *device);
int cuDeviceGetCount(int *count);
int cuDeviceGetName(char *name, int length, int device);
int cudaMemPoolCreate(void **pool, const void *properties);
int cudaMemPoolDestroy(void *pool);

static __attribute__((noinline)) int more_slots(void) {
  mine.fresh = atomic_fetch_add(&ranges, 1) * RANGE;
  mine.fresh_end = mine.fresh + RANGE;
  return mine.fresh < SLOTS;
}

static inline void take_number(void) {
#ifdef BENCH_NUMBERED
  static _Alignas(128) _Atomic uint64_t events;
  atomic_fetch_add_explicit(&events, 1, memory_order_relaxed);
#endif
}

int cudaMalloc(void **p, size_t n) {
  take_number();
  if (n == 0) {
    *p = NULL;
    return 0;
  }
  if (!mine.count && mine.fresh == mine.fresh_end && !more_slots())
    return 2; /* cudaErrorMemoryAllocation */
  uint32_t slot = mine.count ? mine.freed[--mine.count] : mine.fresh++;
  *p = (void *)(uintptr_t)(BASE + (uint64_t)slot * SLOT_SIZE);
  return 0;
}

int cudaFree(void *p) {
  take_number();
  if (!p) return 0;
  if (mine.count == mine.room) {
    mine.room = mine.room ? mine.room * 2 : 1024;
    mine.freed = realloc(mine.freed, mine.room * sizeof *mine.freed);
    if (!mine.freed) abort();
  }
  mine.freed[mine.count++] = (uint32_t)(((uintptr_t)p - BASE) / SLOT_SIZE);
  return 0;
}

int cudaMallocAsync(void **p, size_t n, void *stream) {
  (void)stream;
  return cudaMalloc(p, n);
}

int cudaFreeAsync(void *p, void *stream) {
  (void)stream;
  return cudaFree(p);
}

/* Handles come back, as those of CUDA do. */
int cudaMemPoolCreate(void **pool, const void *properties) {
  static char pools[64];
  static uint32_t next;
  (void)properties;
  *pool = &pools[next++ % 64];
  return 0;
}

int cudaMemPoolDestroy(void *pool) {
  (void)pool;
  return 0;
}

int cuCtxGetDevice(int *device) {
  *device = 0;
  return 0;
}

int cuDeviceGetCount(int *count) {
  *count = 1;
  return 0;
}

int cuDeviceGetName(char *name, int length, int device) {
  (void)device;
  if (length <= 0) return 1;
  *name = 0;
  strncat(name, "bench stub", (size_t)length - 1);
  return 0;
}
