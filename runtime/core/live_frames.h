/* live_frames.h - finds the innermost live frame of a thread, and drops frames whose functions are
 * not on the machine stack any more.
 *
 * A longjmp, and code that was not rebuilt, can leave functions without popping their frames. A
 * frame stores the address of its function's machine frame: when a newer frame lies above that
 * address on the same stack, the function has ended, and its frame is dropped and counted as a
 * loss. event_line.c, open_frames.c, shadow_stack.c and unloaded_frames.c include this.
 */
#ifndef GPM_LIVE_FRAMES_H
#define GPM_LIVE_FRAMES_H

#include "base/compiler.h"
#include "base/system_calls.h"
#include "capture/capture.h"
#include "core/activations.h"
#include "records/made_sites.h"
#include "records/sites.h"
#include "threads/threads.h"

#include <signal.h>
#include <stdint.h>

static inline void drop(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  if (frame->active) end_from(thread, frame);
  frame->scope = frame->call = NULL; /* it may become the top again */
  gpm_capture_count(GPUMEMPROF_COUNTER_stale_frames);
}

/* Drops the innermost frame of compiled code, so that the next one is pushed in its place. */
static inline void drop_top(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  struct gpumemprof_stack *stack = &__gpumemprof_stack;
  drop(thread, frame);
  if (stack->top <= stack->limit) stack->top = frame;
}

/* Whether a signal handler is running on the alternate signal stack, and only one of the two
 * addresses is on that stack. */
static GPM_COLD_IN_HEADER bool on_two_stacks(uintptr_t one, uintptr_t other) {
  stack_t s;
  if (gpm_sigaltstack(&s) || !(s.ss_flags & SS_ONSTACK)) return false;
  return (one - (uintptr_t)s.ss_sp < s.ss_size) != (other - (uintptr_t)s.ss_sp < s.ss_size);
}

/* Whether an address is on the alternate signal stack while no handler runs there any more. */
static GPM_COLD_IN_HEADER bool on_left_stack(uintptr_t address) {
  stack_t s;
  return !gpm_sigaltstack(&s) && !s.ss_flags && address - (uintptr_t)s.ss_sp < s.ss_size;
}

static GPM_COLD_IN_HEADER bool below_or_far_away_is_gone(uintptr_t address, uintptr_t newer) {
  if (!newer) return false; /* the newer frame is that of a block, which has no machine frame */
  if (newer - address < SAME_STACK) return !on_two_stacks(address, newer);
  return on_left_stack(address);
}

static inline bool jumped_over(const struct gpumemprof_frame *frame, uintptr_t newer) {
  if (GPM_LIKELY(frame->stack - newer < SAME_STACK) || !frame->stack) return false;
  return below_or_far_away_is_gone(frame->stack, newer);
}

/* The next live frame of compiled code below, or null. */
static inline struct gpumemprof_frame *compiled_below(struct gpm_thread *thread,
                                                      struct gpumemprof_frame *frame) {
  while (frame > thread->frames)
    if ((--frame)->scope) return frame;
  return NULL;
}

/* The next live frame below, or null. Native frames are up to date when a frame above them or one
 * of them is open. */
static inline struct gpumemprof_frame *below(struct gpm_thread *thread,
                                             struct gpumemprof_frame *frame) {
  struct gpumemprof_frame *next = compiled_below(thread, frame);
  if (GPM_LIKELY(next || !thread->native_count)) return next;
  if (frame >= thread->frames) frame = thread->native_frames + thread->native_count;
  return frame > thread->native_frames ? frame - 1 : NULL;
}

/* The frame of the function around a block; null: no function below was rebuilt. */
static inline struct gpumemprof_frame *function_around(struct gpm_thread *thread,
                                                       struct gpumemprof_frame *frame) {
  while (frame && is_block(frame)) frame = below(thread, frame);
  return frame;
}

/* The call under way in a frame; a block's frame uses that of its function. If no function below
 * was rebuilt, the line that the program gave for the block is the best one available, and then the
 * call of the native frame below. */
static GPM_NOINLINE_IN_HEADER const void *call_around(struct gpm_thread *thread,
                                                      struct gpumemprof_frame *frame) {
  const struct gpumemprof_frame *block = frame;
  frame = function_around(thread, frame);
  const void *call = frame ? frame->call : NULL;
  if ((!frame || frame < thread->frames) && block != frame) {
    const void *line = block ? gpm_sites_block_line(block->scope) : NULL;
    if (line) call = line;
  }
  return call ? call : (const void *)&gpm_sites_unknown;
}

static inline const void *call_of(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  bool simple = frame && !is_block(frame) && frame->call;
  return GPM_LIKELY(simple) ? frame->call : call_around(thread, frame);
}

/* Resets a top that points into another thread's frames: a fiber began there, and its move to this
 * thread was not reported. */
static inline void come_home(struct gpm_thread *thread) {
  struct gpumemprof_stack *stack = &__gpumemprof_stack;
  if (stack->top >= thread->frames && stack->top <= thread->limit + 1) return;
  gpm_thread_count(thread, GPUMEMPROF_COUNTER_stale_frames);
  stack->top = thread->latest->frame ? thread->latest->frame + 1 : thread->frames;
}

/* Drops the frames of functions that have ended. Returns the innermost live frame of compiled code,
 * or null. */
static inline struct gpumemprof_frame *innermost_compiled(struct gpm_thread *thread,
                                                          uintptr_t here) {
  struct gpumemprof_stack *stack = &__gpumemprof_stack;
  come_home(thread);
  struct gpumemprof_frame *f =
      compiled_below(thread, stack->top < stack->limit ? stack->top : stack->limit);
  while (f && jumped_over(f, here)) {
    drop_top(thread, f);
    f = compiled_below(thread, f);
  }
  return f;
}

static GPM_COLD_IN_HEADER struct gpumemprof_frame *innermost_native(struct gpm_thread *thread) {
  if (!gpm_busy(thread)) return NULL; /* what is not an event needs none */
  /* While a frame of compiled code ends, its callers are up to date. */
  if (thread->latest->frame < thread->frames) gpm_native_update(thread, 0);
  return below(thread, thread->frames);
}

/* The innermost live frame, or null. */
static inline struct gpumemprof_frame *innermost(struct gpm_thread *thread, uintptr_t here) {
  struct gpumemprof_frame *f = innermost_compiled(thread, here);
  return GPM_LIKELY(f != NULL) ? f : innermost_native(thread);
}

#endif /* GPM_LIVE_FRAMES_H */
