/* hooks.h - the prototypes of the hooks that cuda_hooks.c defines, one or two for each line of
 * cuda_api.def. Compiled code calls them by their names. So do the files of the runtime that act
 * for other code: found_functions.c for calls through pointers, cupti.c and torch.c for code that
 * was not rebuilt.
 */
#ifndef GPM_HOOKS_H
#define GPM_HOOKS_H

#include "base/compiler.h"

#include "gpumemprof/cuda_arrays.h"
#include "gpumemprof/parameters.h"

#include <stddef.h>
#include <stdint.h>

#define GPM_HOOK_BEFORE(name, ...)                                                                 \
  GPM_EXPORT void __gpumemprof_pre_##name(GPUMEMPROF_PARAMETERS(__VA_ARGS__));
#define GPM_HOOK_AFTER(name, ...)                                                                  \
  GPM_EXPORT void __gpumemprof_post_##name(GPUMEMPROF_PARAMETERS(__VA_ARGS__), int result);

#define GPUMEMPROF_ALLOC(name, lib, kind, block, acquired, requested, ...)                         \
  GPM_HOOK_AFTER(name, __VA_ARGS__)
#define GPUMEMPROF_POOL_ALLOC(name, lib, block, bytes, pool, stream, ...)                          \
  GPM_HOOK_AFTER(name, __VA_ARGS__)
#define GPUMEMPROF_CREATE(name, lib, kind, bytes, ordinal, effect, ...)                            \
  GPM_HOOK_AFTER(name, __VA_ARGS__)
#define GPUMEMPROF_AFTER(name, lib, effect, ...) GPM_HOOK_AFTER(name, __VA_ARGS__)
#define GPUMEMPROF_FREE(name, lib, block, ...)                                                     \
  GPM_HOOK_BEFORE(name, __VA_ARGS__) GPM_HOOK_AFTER(name, __VA_ARGS__)
#define GPUMEMPROF_POOL_FREE(name, lib, block, stream, ...)                                        \
  GPM_HOOK_BEFORE(name, __VA_ARGS__) GPM_HOOK_AFTER(name, __VA_ARGS__)
#define GPUMEMPROF_AROUND(name, lib, before, after, ...)                                           \
  GPM_HOOK_BEFORE(name, __VA_ARGS__) GPM_HOOK_AFTER(name, __VA_ARGS__)
#define GPUMEMPROF_RECORDED(name, lib, effect, ...)                                                \
  GPM_EXPORT void __gpumemprof_post_##name(GPUMEMPROF_PARAMETERS(__VA_ARGS__));
#define GPUMEMPROF_RESET(name, lib)                                                                \
  GPM_EXPORT void __gpumemprof_pre_##name(void);                                                   \
  GPM_EXPORT void __gpumemprof_post_##name(int result);
#include "gpumemprof/cuda_api.def"

#undef GPM_HOOK_BEFORE
#undef GPM_HOOK_AFTER

#endif /* GPM_HOOKS_H */
