/* compiled_code.c - the two variables that compiled code shares with the runtime (hooks.h): the
 * stack of frames of each thread, which functions push and pop by themselves, and the clock that
 * counts events. threads.c gives each thread the room for its frames.
 */
#include "base/compiler.h"

#include "gpumemprof/hooks.h"

GPM_EXPORT _Thread_local struct gpumemprof_stack __gpumemprof_stack GPM_IE_TLS;
GPM_EXPORT struct gpumemprof_clock __gpumemprof_clock __attribute__((aligned(64)));

GPM_EXPORT void __gpumemprof_attach(const void *own_stack, int64_t *distance,
                                    const struct gpumemprof_clock **clock) {
  *distance = (int64_t)((uintptr_t)&__gpumemprof_stack - (uintptr_t)own_stack);
  *clock = &__gpumemprof_clock;
}
