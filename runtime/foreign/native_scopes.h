/* native_scopes.h - functions that were not rebuilt as scopes: see native_scopes.c. What the core
 * calls here is in base/taps.h.
 */
#ifndef GPM_NATIVE_SCOPES_H
#define GPM_NATIVE_SCOPES_H

#include "threads/threads.h"

#include <stdint.h>

/* Walks from this thread's call of CUDA to the compiled function that has the stack pointer
 * `caller`; 0: to the end. False: that function has ended, since another one, which was not
 * rebuilt, is at its place. The thread is busy. */
bool gpm_native_walk_to(struct gpm_thread *thread, uintptr_t caller);
/* Pushes a frame for each function of that walk. Returns the outermost frame, whose exit ends them
 * all; null: there is none. */
struct gpumemprof_frame *gpm_native_push_walked(struct gpm_thread *thread, uintptr_t machine_stack);

/* A function of the runtime API begins, or ends, on this thread, and CUPTI calls us. */
void gpm_native_runtime_call(struct gpm_thread *thread, bool at_end);

#endif /* GPM_NATIVE_SCOPES_H */
