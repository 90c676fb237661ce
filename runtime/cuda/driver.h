/* driver.h - the functions of the CUDA driver that the runtime calls: for what only the driver can
 * answer, and for the memory that torch.c gives to PyTorch.
 *
 * libcuda.so.1 is in every process that uses CUDA, even if the CUDA runtime is linked statically.
 * Its functions are looked up in that library itself: a global lookup could find a variable or a
 * function of the program. A member is null if the driver does not have the function. Every
 * function returns 0 on success. None of them creates a context or changes the CUDA runtime's last
 * error.
 */
#ifndef GPM_DRIVER_H
#define GPM_DRIVER_H

#include "gpumemprof/cuda_types.h"

#include <stdbool.h>

typedef struct CUevent_st *gpm_event; /* CUevent */
typedef struct CUmod_st *gpm_module;  /* CUmodule */

#define GPM_DRIVER_FUNCTIONS(X)                                                                    \
  X(cuMemGetAddressRange_v2, (gpm_deviceptr * base, size_t *size, gpm_deviceptr p))                \
  X(cuPointerGetAttribute, (void *data, int attribute, gpm_deviceptr p))                           \
  X(cuMemRangeGetAttribute,                                                                        \
    (void *data, size_t size, int attribute, gpm_deviceptr p, size_t count))                       \
  X(cuStreamGetCaptureInfo_v3, (gpm_stream stream, int *status, uint64_t *id, gpm_graph *graph,    \
                                const void **after, const void **data, size_t *count))             \
  X(cuStreamGetCaptureInfo_v2, (gpm_stream stream, int *status, uint64_t *id, gpm_graph *graph,    \
                                const void **after, size_t *count))                                \
  X(cuMemPoolGetAttribute, (gpm_pool pool, int attribute, void *value))                            \
  X(cuDeviceGetDefaultMemPool, (gpm_pool * pool, int device))                                      \
  X(cuDeviceGetMemPool, (gpm_pool * pool, int device))                                             \
  X(cuDeviceGetGraphMemAttribute, (int device, int attribute, void *value))                        \
  X(cuMemGetInfo_v2, (size_t *free, size_t *total))                                                \
  X(cuInit, (unsigned flags))                                                                      \
  X(cuCtxGetDevice, (int *device))                                                                 \
  X(cuDeviceGetCount, (int *count))                                                                \
  X(cuDeviceGetName, (char *name, int length, int device))                                         \
  X(cuDeviceGetUuid_v2, (void *uuid, int device))                                                  \
  X(cuCtxPushCurrent_v2, (gpm_context context))                                                    \
  X(cuCtxPopCurrent_v2, (gpm_context * context))                                                   \
  X(cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active))                        \
  X(cuDevicePrimaryCtxRetain, (gpm_context * context, int device))                                 \
  X(cuDevicePrimaryCtxRelease_v2, (int device))                                                    \
  X(cuThreadExchangeStreamCaptureMode, (int *mode))                                                \
  X(cuMemAllocAsync, (gpm_deviceptr * p, size_t bytes, gpm_stream stream))                         \
  X(cuMemFreeAsync, (gpm_deviceptr p, gpm_stream stream))                                          \
  X(cuMemAlloc_v2, (gpm_deviceptr * p, size_t bytes))                                              \
  X(cuMemFree_v2, (gpm_deviceptr p))                                                               \
  X(cuMemPoolSetAttribute, (gpm_pool pool, int attribute, void *value))                            \
  X(cuStreamIsCapturing, (gpm_stream stream, int *status))                                         \
  X(cuStreamWaitEvent, (gpm_stream stream, gpm_event event, unsigned flags))                       \
  X(cuEventCreate, (gpm_event * event, unsigned flags))                                            \
  X(cuEventRecord, (gpm_event event, gpm_stream stream))                                           \
  X(cuEventDestroy_v2, (gpm_event event))                                                          \
  X(cuCtxSynchronize, (void))                                                                      \
  X(cuStreamGetDevice, (gpm_stream stream, int *device))                                           \
  X(cuCtxGetCurrent, (gpm_context * context))                                                      \
  X(cuFuncGetModule, (gpm_module * module, void *function))                                        \
  X(cuModuleGetGlobal_v2, (gpm_deviceptr * p, size_t *bytes, gpm_module module, const char *name)) \
  X(cuStreamCreate, (gpm_stream * stream, unsigned flags))                                         \
  X(cuStreamSynchronize, (gpm_stream stream))                                                      \
  X(cuMemcpyHtoDAsync_v2, (gpm_deviceptr to, const void *from, size_t bytes, gpm_stream stream))   \
  X(cuMemcpyDtoHAsync_v2, (void *to, gpm_deviceptr from, size_t bytes, gpm_stream stream))         \
  X(cuMemsetD32Async, (gpm_deviceptr to, unsigned value, size_t count, gpm_stream stream))

struct gpm_driver {
#define GPM_DRIVER_MEMBER(name, parameters) int(*name) parameters;
  GPM_DRIVER_FUNCTIONS(GPM_DRIVER_MEMBER)
#undef GPM_DRIVER_MEMBER
};

/* May be called by any thread. Never null; all members are null before the driver is loaded. */
const struct gpm_driver *gpm_driver(void);
/* The functions of these names that the driver exports, null where it has none; false: no driver.
 */
bool gpm_driver_functions(const char *const *names, void **functions, size_t count);
/* Keeps the driver loaded, because its functions are called until the process ends, and a program
 * that opened it may close it. Call only where dlopen may be called. */
void gpm_driver_stay(void);
/* Loads and initialises the driver, as the program's first CUDA call does. For programs that ask
 * for devices before that call. By a thread that is not busy. */
const struct gpm_driver *gpm_driver_begin(void);

/* Attributes, as in cuda.h. */
enum {
  GPM_POINTER_CONTEXT = 1,     /* CU_POINTER_ATTRIBUTE_* */
  GPM_POINTER_MEMORY_TYPE = 2, /* 1: host */
  GPM_POINTER_DEVICE_ORDINAL = 9,
  GPM_POOL_RELEASE_THRESHOLD = 4, /* CU_MEMPOOL_ATTR_* */
  GPM_POOL_RESERVED = 5,
  GPM_POOL_RESERVED_HIGH = 6,
  GPM_POOL_USED = 7,
  GPM_POOL_USED_HIGH = 8,
  GPM_GRAPH_USED = 0, /* CU_GRAPH_MEM_ATTR_* */
  GPM_GRAPH_USED_HIGH = 1,
  GPM_GRAPH_RESERVED = 2,
  GPM_GRAPH_RESERVED_HIGH = 3,
  GPM_CAPTURE_RELAXED = 2,    /* CU_STREAM_CAPTURE_MODE_* */
  GPM_RANGE_LAST_PREFETCH = 4 /* CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION; -1 host, -2 none */
};

#endif /* GPM_DRIVER_H */
