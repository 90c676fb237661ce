/* native_scopes.h - functions that were not rebuilt as scopes: see native_scopes.c. What the core
 * calls here is in base/taps.h.
 */
#ifndef GPM_NATIVE_SCOPES_H
#define GPM_NATIVE_SCOPES_H

#include "threads/threads.h"

#include <stdint.h>

/* Pushes a frame for each function that was not rebuilt and called CUDA on this thread; caller: the
 * stack pointer of the compiled function that called the outermost of them, 0: all functions of the
 * stack. The thread is busy. Returns the outermost frame, whose exit ends them all; null: there is
 * none. */
struct gpumemprof_frame *gpm_native_push_functions(struct gpm_thread *thread,
                                                   uintptr_t machine_stack, uintptr_t caller);

/* A function of the runtime API begins, or ends, on this thread, and CUPTI calls us. */
void gpm_native_runtime_call(struct gpm_thread *thread, bool at_end);

#endif /* GPM_NATIVE_SCOPES_H */
