/* compiled_code.c - the two variables that compiled code shares with the runtime (hooks.h): the
 * shadow stack of each thread, on which functions push and pop frames by themselves, and the clock
 * that counts events. threads.c allocates the frames of each thread.
 */
#include "base/compiled_code.h"
#include "base/compiler.h"

#include "gpumemprof/hooks.h"

GPM_EXPORT _Thread_local struct gpumemprof_stack __gpumemprof_stack GPM_IE_TLS;
struct gpm_first_line gpm_first_line = {.lock = GPM_LOCK(device)};
GPM_EXPORT extern struct gpumemprof_clock __gpumemprof_clock
    __attribute__((alias("gpm_first_line")));

GPM_EXPORT void __gpumemprof_attach(const void *own_stack, int64_t *distance,
                                    const struct gpumemprof_clock **clock) {
  *distance = (int64_t)((uintptr_t)&__gpumemprof_stack - (uintptr_t)own_stack);
  *clock = &__gpumemprof_clock;
}
