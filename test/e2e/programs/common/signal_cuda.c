/* A cudaMalloc that signal handlers may call, for programs about the profiler: neither NVIDIA's nor
 * the simulated one may be. Slots of 1 MiB, taken and given back by compare-and-swap. Compiled
 * without the plugin, as a libcuda.so.1 that is found before libcudart: the profiler asks that for
 * the device, perhaps in a handler. */
#include <cuda_runtime.h>
#include <stdatomic.h>
#include <stdint.h>

#define SLOTS 65536
#define START ((uintptr_t)1 << 40)

static atomic_int taken[SLOTS];
atomic_ulong allocations, frees; /* what really happened */

cudaError_t cudaMalloc(void **p, size_t bytes) {
  static atomic_uint hint;
  for (unsigned n = 0, at = atomic_fetch_add(&hint, 7); bytes && n < SLOTS; n++) {
    unsigned slot = (at + n) % SLOTS;
    if (atomic_exchange(&taken[slot], 1)) continue;
    *p = (void *)(START + ((uintptr_t)slot << 20));
    atomic_fetch_add(&allocations, 1);
    return cudaSuccess;
  }
  return cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *p) {
  if (!p) return cudaSuccess;
  atomic_fetch_add(&frees, 1);
  atomic_store(&taken[((uintptr_t)p - START) >> 20], 0);
  return cudaSuccess;
}

int cuCtxGetDevice(int *device);
int cuCtxGetDevice(int *device) {
  *device = 0;
  return 0;
}
int cuDeviceGetCount(int *count);
int cuDeviceGetCount(int *count) {
  *count = 1;
  return 0;
}
