/* shadow_stack.c - the functions that compiled code calls for its frames.
 *
 * Compiled code pushes and pops frames by itself (hooks.h). It calls here when the stack is full,
 * when a frame ends that was opened (open_frames.c), when a call is over that has an activation of
 * its own, when an exception or a longjmp leaves frames, and where a block of the program begins
 * and ends. A frame that ends folds its figures into the one around it (activations.h).
 */
#include "core/shadow_stack.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "base/state.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "core/activations.h"
#include "core/live_frames.h"
#include "threads/fibers.h"
#include "threads/threads.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>

static _Thread_local struct gpumemprof_frame spare_sink
    GPM_IE_TLS; /* when there is no memory at all */

static bool owns(const struct gpm_thread *thread, const struct gpumemprof_frame *frame) {
  return thread && frame >= thread->frames && frame < thread->limit;
}

GPM_EXPORT struct gpumemprof_frame *__gpumemprof_frame_slow(void) {
  struct gpm_thread *thread = gpm_thread_self();
  if (!thread) return __gpumemprof_stack.top = &spare_sink;
  come_home(thread);
  if (__gpumemprof_stack.top < __gpumemprof_stack.limit) return __gpumemprof_stack.top;
  gpm_thread_count(thread, GPUMEMPROF_COUNTER_frames_beyond_stack);
  return __gpumemprof_stack.top = thread->limit;
}

/* Marks a thread busy; false: it is busy already. Asks for gpm_recording first, so that a child
 * whose fork was not reported starts its own capture. */
static bool enter(struct gpm_thread *thread) {
  if (gpm_busy(thread)) return false;
  (void)gpm_recording();
  gpm_set_busy(thread, true);
  (void)gpm_recording(); /* the capture may have been sealed before it was busy */
  gpm_count_ended(thread);
  return true;
}

/* Ends the frame and all newer ones. A signal handler that interrupted the runtime ends nothing:
 * its frames are not open, and the interrupted code may hold the lock. */
static GPM_NOINLINE void end(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  if (GPM_UNLIKELY(!enter(thread))) return;
  end_from(thread, frame);
  gpm_set_busy(thread, false);
}

static GPM_NOINLINE void end_in_general(struct gpumemprof_frame *frame) {
  struct gpm_thread *thread = gpm_thread_current;
  if (owns(thread, frame)) end(thread, frame);
}

/* Ends a frame that is one of several to end, or does not end simply. The thread is busy. */
static GPM_NOINLINE void end_otherwise(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  gpm_count_ended(thread);
  bool ended = !owns(thread, frame) || gpm_thread_end_later(thread, frame) ||
               end_simply(thread, frame, false);
  if (!ended) end_from(thread, frame);
  gpm_set_busy(thread, false);
}

/* Calls come last, so that the usual end of a scope needs no machine frame. */
GPM_EXPORT void __gpumemprof_scope_exit(struct gpumemprof_frame *frame) {
  struct gpm_thread *thread = gpm_thread_enter_quickly();
  if (GPM_UNLIKELY(!thread)) return end_in_general(frame);
  /* If there are any that have ended, another thread may be counting them. */
  bool any = atomic_load_explicit(&thread->has_ended, memory_order_acquire);
  if (GPM_UNLIKELY(any) || GPM_UNLIKELY(!end_simply(thread, frame, true)))
    return end_otherwise(thread, frame);
  gpm_set_busy(thread, false);
}

/* Ends the activation of the call that the frame's function made last, in the frame or in a block
 * of the function; and frames inside that call which code that was not rebuilt jumped over. */
static GPM_INLINE void end_line(struct gpm_thread *thread, const struct gpumemprof_frame *frame) {
  uintptr_t here = gpm_thread_machine_stack();
  for (;;) {
    const struct gpm_open *open = thread->latest;
    if (!open->frame || open->frame < frame) return;
    bool over = gpm_is_line(open) ||
                (open->frame > frame && !is_block(open->frame) && jumped_over(open->frame, here));
    if (!over) return;
    fold_latest(thread);
  }
}

GPM_EXPORT void __gpumemprof_call_ended(struct gpumemprof_frame *frame) {
  struct gpm_thread *thread = gpm_thread_current;
  if (!owns(thread, frame) || thread->latest->frame < frame) return;
  if (thread->latest->frame == frame && !gpm_is_line(thread->latest)) return;
  if (!enter(thread)) return;
  end_line(thread, frame);
  gpm_set_busy(thread, false);
}

/* A signal handler interrupted the runtime and left it by a longjmp to the frame. The interrupted
 * event is lost; it may be half written. */
static GPM_COLD void jumped_out_of_runtime(struct gpm_thread *thread,
                                           struct gpumemprof_frame *first,
                                           const struct gpumemprof_frame *top) {
  gpm_capture_count(GPUMEMPROF_COUNTER_events_not_stored);
  gpm_lock_forget_held(true);
  gpm_count_ended(thread);
  while (thread->latest->frame && !thread->latest->frame->node)
    if (gpm_is_line(thread->latest)) close_line(thread);
    else close_latest(thread);
  end_from(thread, first);
  for (struct gpumemprof_frame *f = first; f < top && f < thread->limit; f++)
    f->active = f->node = f->cell = NULL;
  gpm_set_busy(thread, false);
}

/* Allows the bottom of the stack as well: a function without a frame, with no frame around it, may
 * have open blocks. */
static bool may_unwind_to(const struct gpm_thread *thread, const struct gpumemprof_frame *frame) {
  return thread && frame + 1 >= thread->frames && frame <= thread->limit;
}

GPM_EXPORT void __gpumemprof_unwind(struct gpumemprof_frame *frame) {
  __gpumemprof_unwind_within(frame, frame + 1);
}

GPM_EXPORT void __gpumemprof_unwind_within(struct gpumemprof_frame *frame,
                                           struct gpumemprof_frame *top) {
  struct gpm_thread *thread = gpm_thread_current;
  if (!may_unwind_to(thread, frame)) {
    thread = gpm_fibers_resume(frame);
    if (!may_unwind_to(thread, frame)) return;
  }
  struct gpumemprof_frame *before = __gpumemprof_stack.top;
  if (top > before) top = before; /* frames that have ended since do not come back */
  if (top <= frame) top = frame + 1;
  __gpumemprof_stack.top = top;
  if (frame->stack >= __gpumemprof_stack.inside) __gpumemprof_stack.inside = 0; /* it was left */
  /* The frames of a handler are not opened while the thread is busy, so this one is older than the
   * handler. */
  if (gpm_busy(thread) && frame <= thread->latest->frame)
    jumped_out_of_runtime(thread, top, before);
  thread->leaving = GPM_LEAVING_UNWINDS;
  end(thread, top);
  thread->leaving = GPM_LEAVING_RETURNS;
}

GPM_EXPORT void __gpumemprof_profile_enter(struct gpumemprof_frame *frame) {
  struct gpm_thread *thread = gpm_thread_current;
  if (!owns(thread, frame) || gpm_busy(thread) || !gpm_recording()) return;
  int saved = errno;
  if (!gpm_begin(thread)) frame->start = 0; /* asks again: a signal handler may have forked */
  else if (frame->active || gpm_thread_open(thread, frame)) {
    gpm_thread_begin_steps(thread);
    ((struct gpumemprof_capture_activation *)frame->active)->flags |=
        GPUMEMPROF_ACTIVATION_PROFILED;
    frame->start = gpm_ticks();
  }
  gpm_end(thread);
  errno = saved;
}

/* nvtx_emit=scopes: a block is a range from its beginning, not from where memory moves in it. */
static GPM_COLD void open_at_once(struct gpumemprof_frame *frame) {
  struct gpm_thread *thread = gpm_thread_current;
  if (!owns(thread, frame) || gpm_busy(thread) || !gpm_recording()) return;
  int saved = errno;
  if (gpm_begin(thread)) {
    if (!frame->active) gpm_thread_open(thread, frame);
    gpm_thread_begin_steps(thread);
    gpm_end(thread);
  }
  errno = saved;
}

/* The number of a new block. Each thread takes numbers from its own range. */
static uint64_t next_block(void) {
  static _Atomic uint64_t ranges;
  static _Thread_local uint64_t latest GPM_IE_TLS;
  if (!(uint32_t)latest) latest = (atomic_fetch_add(&ranges, 1) + 1) << 32;
  return ++latest;
}

GPM_EXPORT struct gpumemprof_frame *
__gpumemprof_block_enter(const struct gpumemprof_block_site *site) {
  struct gpumemprof_frame *frame = __gpumemprof_stack.top;
  if (frame >= __gpumemprof_stack.limit) frame = __gpumemprof_frame_slow();
  uint64_t number = next_block();
  do {
    frame->scope = site;
    frame->call = NULL;
    frame->entry_clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
    frame->stack = 0;           /* it is part of its function, whose own frame has the place */
    frame->operand[0] = number; /* it has no calls, and so no operands */
    __gpumemprof_stack.top = frame + 1;
    gpm_keep_order();
    /* A signal handler that ran before the frame was pushed has used the same slot for its own
     * frame. */
  } while (GPM_UNLIKELY(*(const void *volatile *)&frame->scope != site));
  if (site->flags & GPUMEMPROF_SITE_PROFILED) __gpumemprof_profile_enter(frame);
  else if (GPM_UNLIKELY(gpm_nvtx_emits(GPM_NVTX_SCOPES))) open_at_once(frame);
  return frame;
}

GPM_EXPORT void __gpumemprof_block_exit(struct gpumemprof_frame *frame) {
  __gpumemprof_stack.top = frame;
  if (frame->active) __gpumemprof_scope_exit(frame);
}

GPM_EXPORT struct gpumemprof_open_block
__gpumemprof_block_open(const struct gpumemprof_block_site *site) {
  struct gpumemprof_frame *frame = __gpumemprof_block_enter(site);
  return (struct gpumemprof_open_block){frame, frame->operand[0]};
}

/* Whether the frame still belongs to the block, and to the calling thread. */
static bool is_still_open(const struct gpumemprof_open_block *block) {
  const struct gpm_thread *thread = gpm_thread_current;
  const struct gpumemprof_frame *frame = block->frame;
  return thread && frame >= thread->frames && frame <= thread->limit &&
         frame < __gpumemprof_stack.top && frame->scope && is_block(frame) &&
         frame->operand[0] == block->number;
}

GPM_EXPORT void __gpumemprof_block_close(struct gpumemprof_open_block block) {
  if (GPM_LIKELY(is_still_open(&block))) __gpumemprof_block_exit(block.frame);
}
