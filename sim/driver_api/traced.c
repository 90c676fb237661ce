/* traced.c - the functions of traced.def as programs call them: each reports to a listener, if
 * there is one, before and after the implementation in another file of this room. Calls between
 * those files reach the implementations themselves, so that nothing is reported twice.
 */
#include "driver_api/traced.h"
#include "calls/calls.h"

#include <gpumemprof/parameters.h>
#include <stdatomic.h>

#define GPM_CU_TRACED(name, number, implementation, ...)                                           \
  extern __typeof__(implementation) gpm_cudrv_##implementation;                                    \
  extern __typeof__(implementation) name;                                                          \
  CUresult name(GPUMEMPROF_PARAMETERS(__VA_ARGS__)) {                                              \
    if (__builtin_expect(!atomic_load_explicit(&gpm_sim_listening, memory_order_acquire), 1))      \
      return gpm_cudrv_##implementation(GPUMEMPROF_ARGUMENTS(__VA_ARGS__));                        \
    GPM_SIM_CALL_REPORTED(GPM_SIM_DOMAIN_DRIVER, number, #name, CUresult,                          \
                          gpm_cudrv_##implementation, __VA_ARGS__)                                 \
  }                                                                                                \
  extern __typeof__(implementation) gpm_sim_##name __attribute__((alias(#name)));
#include "driver_api/traced.def"
