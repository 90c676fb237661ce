/* cuda_query.h - the current device, its name and its memory: see cuda_query.c.
 */
#ifndef GPM_CUDA_QUERY_H
#define GPM_CUDA_QUERY_H

#include "records/devices.h"

int gpm_cuda_ask_device(void);
static inline int gpm_cuda_current_device(void) {
  return GPM_LIKELY(atomic_load_explicit(&gpm_cuda_one_device, memory_order_relaxed))
             ? 0
             : gpm_cuda_ask_device();
}
/* The device of an allocation of kind POOL: that of its pool, which need not be the current one.
 * pool: the one that the call names; null: the current one of the stream's device. */
int gpm_cuda_ask_pool_device(uint64_t address, const void *stream, const void *pool);
/* The number of streams that are being captured, and GPM_HOST_POOLS if pools of the host were
 * seen. */
extern _Atomic unsigned gpm_pool_calls_differ;
#define GPM_HOST_POOLS (1u << 31)
static inline bool gpm_cuda_pools_are_simple(void) { /* whether all pools are on device 0 */
  return atomic_load_explicit(&gpm_cuda_one_device, memory_order_relaxed) &&
         !(atomic_load_explicit(&gpm_pool_calls_differ, memory_order_relaxed) & GPM_HOST_POOLS);
}
static inline int gpm_cuda_pool_device(uint64_t address, const void *stream, const void *pool) {
  return GPM_LIKELY(gpm_cuda_pools_are_simple()) ? 0
                                                 : gpm_cuda_ask_pool_device(address, stream, pool);
}
/* The current context's device and its free bytes; false where there is no context. */
bool gpm_cuda_free_memory(int *ordinal, uint64_t *bytes);
void gpm_cuda_describe(int ordinal, struct gpumemprof_capture_device *record);
/* Returns false and sets all bytes to 0 if it is not known. */
bool gpm_cuda_uuid(int ordinal, uint8_t uuid[16]);
/* fallback: returned when no device is current; call without being busy. */
int gpm_cuda_current_or(int fallback);
int gpm_cuda_count_devices(
    void); /* by a thread that is not busy; may start the driver; -1: no answer */

/* Bytes of the allocation that holds the address; 0 when the driver does not say. */
uint64_t gpm_cuda_range(uint64_t address);

#endif /* GPM_CUDA_QUERY_H */
