/* found_uses.c - functions that use memory and that a program finds by name: what it gets in their
 * place while uses are recorded. found_functions.c asks for them.
 */
#include "base/loaded.h"
#include "cuda/effects.h"
#include "options/options.h"
#include "threads/threads.h"
#include "uses/unseen.h"
#include "uses/uses.h"

#include "gpumemprof/parameters.h"

/* What compiled code calls in their place, too; without a site it is that of the calling line. */
#define GPUMEMPROF_USE(name, effect, ...)                                                          \
  GPM_NOINLINE int __gpumemprof_use_##name(GPUMEMPROF_PARAMETERS(__VA_ARGS__),                     \
                                           const struct gpumemprof_site *site,                     \
                                           int (*real)(GPUMEMPROF_PARAMETERS(__VA_ARGS__)));       \
  static int (*_Atomic real_use_##name)(GPUMEMPROF_PARAMETERS(__VA_ARGS__));                       \
  static int found_use_##name(GPUMEMPROF_PARAMETERS(__VA_ARGS__)) {                                \
    int (*real)(GPUMEMPROF_PARAMETERS(__VA_ARGS__)) = atomic_load(&real_use_##name);               \
    if (__gpumemprof_stack.inside) return real(GPUMEMPROF_ARGUMENTS(__VA_ARGS__));                 \
    return __gpumemprof_use_##name(GPUMEMPROF_ARGUMENTS(__VA_ARGS__), NULL, real);                 \
  }
#include "gpumemprof/cuda_uses.def"

static const struct gpm_found_function found_uses[] = {
#define GPUMEMPROF_USE(name, ...)                                                                  \
  {#name, (void *)found_use_##name, (void *_Atomic *)(void *)&real_use_##name},
#include "gpumemprof/cuda_uses.def"
};

const struct gpm_found_function *gpm_uses_found(uint32_t *count) {
  *count = gpm_options.uses ? sizeof found_uses / sizeof found_uses[0] : 0;
  return found_uses;
}

void gpm_uses_not_wrapped(const char *name, const void *function) {
  struct gpm_thread *thread =
      gpm_options.uses && gpm_unseen_is_use(name) ? gpm_thread_enter() : NULL;
  if (!thread) return;
  struct gpm_loaded object;
  bool known = gpm_loaded_at(function, &object);
  gpm_unseen_add(GPUMEMPROF_UNSEEN_FOUND, known ? object.path : NULL, name);
  gpm_end(thread);
}
