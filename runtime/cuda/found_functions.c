/* found_functions.c - CUDA functions that a program finds by name: with dlsym, cuGetProcAddress or
 * cudaGetDriverEntryPoint.
 *
 * No thunk wraps a call through such a pointer, so the program gets a function of the runtime
 * instead, which does what the plugin's thunk does: it calls the hooks around the real call, at the
 * line that calls through the pointer. So do those that use memory (found_uses.c). Calls made
 * inside a thunk, or inside CUDA, go straight to the real function. There is one replacement per
 * entry point: when the process has two functions of one name (a static and a shared cudart), the
 * second is returned unchanged, and counted; but when the library of the first was closed, the
 * second takes its place.
 */
#include "base/compiler.h"
#include "base/loaded.h"
#include "base/state.h"
#include "cuda/driver.h"
#include "cuda/effects.h"
#include "cuda/hooks.h"
#include "threads/threads.h"

#include <string.h>

/* Defines a replacement; `before` and `after` are the hooks. */
#define WRAPPER(name, before, after, ...)                                                          \
  static int (*_Atomic real_##name)(GPUMEMPROF_PARAMETERS(__VA_ARGS__));                           \
  static int found_##name(GPUMEMPROF_PARAMETERS(__VA_ARGS__)) {                                    \
    int (*real)(GPUMEMPROF_PARAMETERS(__VA_ARGS__)) = atomic_load(&real_##name);                   \
    if (__gpumemprof_stack.inside) return real(GPUMEMPROF_ARGUMENTS(__VA_ARGS__));                 \
    before;                                                                                        \
    __gpumemprof_stack.inside = (uintptr_t)__builtin_frame_address(0);                             \
    int result = real(GPUMEMPROF_ARGUMENTS(__VA_ARGS__));                                          \
    __gpumemprof_stack.inside = 0;                                                                 \
    after;                                                                                         \
    return result;                                                                                 \
  }
#define PRE(name, ...) __gpumemprof_pre_##name(GPUMEMPROF_ARGUMENTS(__VA_ARGS__))
#define POST(name, ...) __gpumemprof_post_##name(GPUMEMPROF_ARGUMENTS(__VA_ARGS__), result)
#define REQUEST(name, ...)                                                                         \
  __gpumemprof_post_##name(GPUMEMPROF_ARGUMENTS(__VA_ARGS__), GPUMEMPROF_NOT_CALLED_YET)

#define GPUMEMPROF_ALLOC(name, lib, kind, block, acquired, requested, ...)                         \
  WRAPPER(name, if (gpm_event_observed()) REQUEST(name, __VA_ARGS__), POST(name, __VA_ARGS__),     \
          __VA_ARGS__)
#define GPUMEMPROF_POOL_ALLOC(name, lib, block, bytes, pool, stream, ...)                          \
  WRAPPER(name, if (gpm_event_observed()) REQUEST(name, __VA_ARGS__), POST(name, __VA_ARGS__),     \
          __VA_ARGS__)
#define GPUMEMPROF_CREATE(name, lib, kind, bytes, ordinal, effect, ...)                            \
  WRAPPER(name, if (gpm_event_observed()) REQUEST(name, __VA_ARGS__), POST(name, __VA_ARGS__),     \
          __VA_ARGS__)
#define GPUMEMPROF_AFTER(name, lib, effect, ...)                                                   \
  WRAPPER(name, (void)0, POST(name, __VA_ARGS__), __VA_ARGS__)
#define GPUMEMPROF_FREE(name, lib, block, ...)                                                     \
  WRAPPER(name, PRE(name, __VA_ARGS__),                                                            \
          if (result || gpm_event_observed()) POST(name, __VA_ARGS__), __VA_ARGS__)
#define GPUMEMPROF_POOL_FREE(name, lib, block, stream, ...)                                        \
  WRAPPER(name, PRE(name, __VA_ARGS__),                                                            \
          if (result || gpm_event_observed()) POST(name, __VA_ARGS__), __VA_ARGS__)
#define GPUMEMPROF_AROUND(name, lib, before, after, ...)                                           \
  WRAPPER(name, PRE(name, __VA_ARGS__), POST(name, __VA_ARGS__), __VA_ARGS__)
#define GPUMEMPROF_RESET(name, lib)                                                                \
  static int (*_Atomic real_##name)(void);                                                         \
  static int found_##name(void) {                                                                  \
    int (*real)(void) = atomic_load(&real_##name);                                                 \
    if (__gpumemprof_stack.inside) return real();                                                  \
    __gpumemprof_pre_##name();                                                                     \
    int result = real();                                                                           \
    __gpumemprof_post_##name(result);                                                              \
    return result;                                                                                 \
  }
#include "gpumemprof/cuda_api.def"

static const struct gpm_found_function allocating[] = {
#define ENTRY(name) {#name, (void *)found_##name, (void *_Atomic *)(void *)&real_##name},
#define GPUMEMPROF_ALLOC(name, ...) ENTRY(name)
#define GPUMEMPROF_POOL_ALLOC(name, ...) ENTRY(name)
#define GPUMEMPROF_CREATE(name, ...) ENTRY(name)
#define GPUMEMPROF_AFTER(name, ...) ENTRY(name)
#define GPUMEMPROF_FREE(name, ...) ENTRY(name)
#define GPUMEMPROF_POOL_FREE(name, ...) ENTRY(name)
#define GPUMEMPROF_AROUND(name, ...) ENTRY(name)
#define GPUMEMPROF_RESET(name, ...) ENTRY(name)
#include "gpumemprof/cuda_api.def"
};

static const struct gpm_found_function *find_in(const struct gpm_found_function *functions,
                                                size_t count, const char *stem, const char *form) {
  size_t length = strlen(stem);
  for (size_t i = 0; i < count; i++) {
    const char *name = functions[i].name;
    if (!strncmp(name, stem, length) && !strcmp(name + length, form)) return &functions[i];
  }
  return NULL;
}

/* That of the name stem + form, or null. */
static const struct gpm_found_function *find(const char *stem, const char *form) {
  uint32_t count;
  const struct gpm_found_function *uses = gpm_uses_found(&count),
                                  *found =
                                      find_in(allocating, sizeof allocating / sizeof allocating[0],
                                              stem, form);
  return found ? found : find_in(uses, count, stem, form);
}

/* Whether the library that has the function is a CUDA runtime before 13. */
static bool is_of_cuda_12(const void *function) {
  int number = 0;
  int (*version)(int *) =
      (int (*)(int *))(uintptr_t)gpm_loaded_beside(function, "cudaRuntimeGetVersion");
  return version && version(&number) == GPM_CUDA_SUCCESS && number < 13000;
}

/* That of the function which dlsym found; cuda12.def has those with other parameters. */
static const struct gpm_found_function *find_called(const char *name, const void *function) {
  const struct gpm_found_function *older = find(name, "_12");
  return older && is_of_cuda_12(function) ? older : find(name, "");
}

/* That of the function which cuGetProcAddress gave. It takes the documented names, and gives the
 * form of the function that the program's version of CUDA has: the driver exports them all. With a
 * flag, it is that for the per-thread default stream. */
static const struct gpm_found_function *find_entry(const char *name, const void *function,
                                                   uint64_t flags) {
  static const char *const forms[] = {"_v2_ptsz", "_v2_ptds", "_ptsz", "_ptds", "_v2", ""};
  enum { FORMS = sizeof forms / sizeof *forms, WITHOUT_FLAG = 4 };
  const struct gpm_found_function *found[FORMS];
  const char *names[FORMS] = {NULL};
  void *exported[FORMS];
  size_t count = 0;
  for (int i = flags & 2 ? 0 : WITHOUT_FLAG; i < FORMS; i++)
    if ((found[count] = find(name, forms[i]))) count++;
  for (size_t i = 0; i < count; i++) names[i] = found[i]->name;
  if (gpm_driver_functions(names, exported, count))
    for (size_t i = 0; i < count; i++)
      if (exported[i] == function) return found[i];
  bool differ = find(name, "_v2") && find(name, ""); /* in their parameters */
  return count && !differ ? found[0] : NULL;
}

/* The replacement of a function, or the function itself. */
static void *ours_for(const struct gpm_found_function *f, const char *name, void *function) {
  void *known = NULL;
  if (f && function == f->ours) return function;
  if (!gpm_recording()) return function;
  if (!f ||
      (!atomic_compare_exchange_strong(f->real, &known, function) && known != function &&
       (gpm_loaded_is_code(known) || !atomic_compare_exchange_strong(f->real, &known, function)))) {
    struct gpm_thread *self = f ? gpm_thread_self() : NULL;
    if (self) gpm_thread_count(self, GPUMEMPROF_COUNTER_functions_not_wrapped);
    gpm_uses_not_wrapped(name, function);
    return function;
  }
  return f->ours;
}

/* The plugin's thunk around dlsym calls this with what dlsym found. */
GPM_EXPORT void *__gpumemprof_found(const char *name, void *function) {
  bool cuda = function && name && (!strncmp(name, "cu", 2) || !strncmp(name, "nccl", 4));
  if (!cuda || !gpm_loaded_is_code(function)) return function; /* or a variable of the program */
  if (gpm_recording()) gpm_driver_stay();
  return ours_for(find_called(name, function), name, function);
}

void gpm_entries_found(const char *name, void **function, uint64_t flags) {
  if (!name || !function || !*function) return;
  *function = ours_for(find_entry(name, *function, flags), name, *function);
}
