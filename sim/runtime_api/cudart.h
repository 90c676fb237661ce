/* cudart.h - what the files of the runtime API share.
 *
 * A function checks its arguments, calls the rooms below and ends with gpm_cudart_end, which keeps
 * an error for cudaGetLastError. One that comes down to a call that is reported
 * to a listener (traced.h) makes that call. Variants for the per-thread default stream are aliases:
 * all work runs when it is submitted, so the two default streams differ only by name, and by the
 * name of the driver's call.
 */
#ifndef GPUMEMPROF_SIM_CUDART_H
#define GPUMEMPROF_SIM_CUDART_H

#include "arrays/arrays.h"
#include "base/lock.h"
#include "cuda_runtime_api.h"
#include "driver_api/traced.h"
#include "work/work.h"

#include <gpumemprof/parameters.h>

static inline cudaError_t gpm_cudart_end(int error) {
  if (error) gpm_sim_thread()->last_error = error;
  return (cudaError_t)error;
}

/* Starts a call that needs a device. */
#define GPM_CUDART_BEGIN                                                                           \
  if (!gpm_sim_context_ensure())                                                                   \
  return gpm_cudart_end(gpm_sim_device_count() ? cudaErrorMemoryAllocation : cudaErrorNoDevice)

/* Starts a call that needs no context. */
#define GPM_CUDART_DRIVER gpm_sim_initialize()

#define GPM_CUDART_REQUIRE(condition)                                                              \
  if (!(condition)) return gpm_cudart_end(cudaErrorInvalidValue)

/* The functions of traced.def are wrapped by those of traced.c: here the names stand for what they
 * wrap. */
#define GPM_CUDART_TRACED(name, number, ...)                                                       \
  extern cudaError_t name(GPUMEMPROF_PARAMETERS(__VA_ARGS__)) __asm__("gpm_cudart_" #name);
#include "runtime_api/traced.def"

/* In two steps, because a name may be a macro in CUDA 12 (cuda12.h). */
#define GPM_CUDART_ALIAS(name, suffix) GPM_CUDART_ALIAS_OF(name, name##suffix)
#define GPM_CUDART_ALIAS_OF(name, other) extern __typeof__(name) other __attribute__((alias(#name)))

#ifndef GPM_CUDART_VERSION
#define GPM_CUDART_VERSION CUDART_VERSION
#endif

/* register.c: what the program's object files registered */
struct gpm_sim_function *gpm_cudart_function(const void *entry); /* null: not registered */
/* Gives the registered variables their memory on the current device. */
int gpm_cudart_load_symbols(void);
/* The variable's memory on the current device, made at its first use. */
int gpm_cudart_symbol(const void *symbol, uint64_t *address, uint64_t *size);

/* array.c: the driver's description of an array; false: no array has these channels */
bool gpm_cudart_driver_array(const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                             unsigned flags, CUDA_ARRAY3D_DESCRIPTOR *d);

#endif /* GPUMEMPROF_SIM_CUDART_H */
