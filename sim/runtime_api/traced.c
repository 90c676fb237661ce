/* traced.c - the functions of traced.def as programs call them: each reports to a listener, if
 * there is one, before and after the implementation in another file of this room. Like those of the
 * real library, they call the driver's library for that themselves, so that the innermost frame
 * outside of the driver's and CUPTI's is theirs.
 */
#include "calls/calls.h"
#include "cuda_runtime_api.h"
#include "device/device.h"

#include <gpumemprof/parameters.h>

#define GPM_CUDART_TRACED(name, number, ...)                                                       \
  extern cudaError_t gpm_cudart_##name(GPUMEMPROF_PARAMETERS(__VA_ARGS__));                        \
  extern cudaError_t name(GPUMEMPROF_PARAMETERS(__VA_ARGS__));                                     \
  cudaError_t name(GPUMEMPROF_PARAMETERS(__VA_ARGS__)) {                                           \
    gpm_sim_initialize(); /* first, because it may load a listener */                              \
    if (__builtin_expect(!gpm_sim_listener(), 1))                                                  \
      return gpm_cudart_##name(GPUMEMPROF_ARGUMENTS(__VA_ARGS__));                                 \
    GPM_SIM_CALL_REPORTED(GPM_SIM_DOMAIN_RUNTIME, number, #name, cudaError_t, gpm_cudart_##name,   \
                          __VA_ARGS__)                                                             \
  }
#include "runtime_api/traced.def"
