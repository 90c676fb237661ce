/* use_hooks.c - where calls that use memory come in: one handler per line of cuda_uses.def, which
 * thunks of compiled code call (kernels.h).
 */
#include "base/compiler.h"
#include "base/lock.h"
#include "cuda/effects.h"
#include "uses/kernels.h"
#include "uses/uses.h"

#include "gpumemprof/parameters.h"

/* Handlers take every parameter of the call; few use them all. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define GPUMEMPROF_USE(name, effect, ...)                                                          \
  GPM_EXPORT int __gpumemprof_use_##name(GPUMEMPROF_PARAMETERS(__VA_ARGS__),                       \
                                         const struct gpumemprof_site *site,                       \
                                         int (*real)(GPUMEMPROF_PARAMETERS(__VA_ARGS__)));         \
  int __gpumemprof_use_##name(GPUMEMPROF_PARAMETERS(__VA_ARGS__),                                  \
                              const struct gpumemprof_site *site,                                  \
                              int (*real)(GPUMEMPROF_PARAMETERS(__VA_ARGS__))) {                   \
    effect;                                                                                        \
    return real(GPUMEMPROF_ARGUMENTS(__VA_ARGS__));                                                \
  }
#define GPUMEMPROF_KERNEL_HANDLE(name, handle, kernel_function, ...)                               \
  GPM_EXPORT void __gpumemprof_use_##name(GPUMEMPROF_PARAMETERS(__VA_ARGS__),                      \
                                          const struct gpumemprof_site *site, int result);         \
  void __gpumemprof_use_##name(GPUMEMPROF_PARAMETERS(__VA_ARGS__),                                 \
                               const struct gpumemprof_site *site, int result) {                   \
    if (result != GPM_CUDA_SUCCESS) return;                                                        \
    gpm_lock_take(&gpm_uses_lock);                                                                 \
    gpm_kernels_named(handle, kernel_function);                                                    \
    gpm_lock_release(&gpm_uses_lock);                                                              \
  }
#include "gpumemprof/cuda_uses.def"
