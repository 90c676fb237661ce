/* native.h - charges events to code that was not rebuilt: see native.c.
 */
#ifndef GPM_NATIVE_H
#define GPM_NATIVE_H

#include "core/shadow_stack.h"

/* Loads the unwinder; by a thread that is not busy. Returns whether walks take no lock of the
 * loader. */
bool gpm_native_start(void);
void gpm_native_begin(void); /* the option stacks=native; once, by a thread that is not busy */
/* verify_paths.c: verify=paths, once for each thread that begins; by a thread that is not busy. */
void gpm_native_verify_begin(void);
extern _Atomic bool gpm_native_whole;
static inline bool gpm_native_is_whole(void) {
  return atomic_load_explicit(&gpm_native_whole, memory_order_relaxed);
}
void gpm_native_off(void); /* as with stacks=scopes from now on */
/* Pushes frames for the code that called CUDA on this thread, outside of CUDA's libraries and the
 * runtime. They are live as long as the function that calls this. Returns the outermost frame,
 * whose exit ends them all (gpm_native_pop); null: an event finds its functions by itself. */
struct gpumemprof_frame *gpm_native_push_at(struct gpm_thread *thread, uintptr_t machine_stack);
static GPM_INLINE struct gpumemprof_frame *gpm_native_push(struct gpm_thread *thread) {
  return gpm_native_push_at(thread, gpm_thread_machine_stack());
}
static inline void gpm_native_pop(struct gpumemprof_frame *frame) {
  if (frame) __gpumemprof_block_exit(frame);
}
void gpm_native_forked(void);

#endif /* GPM_NATIVE_H */
