/* shadow_stack.c - each thread's stack of frames, and the activations of those in which memory
 * moved.
 *
 * Compiled code pushes and pops frames by itself (hooks.h). The first event below a frame opens it:
 * it gets a call-tree node and an activation record, and so do all frames below it. When an open
 * frame ends, by return, exception, longjmp or thread exit, its own peak folds into its parent's in
 * O(1): parent.peak = max(parent.peak, parent.net + child.peak);  parent.net += child.net
 * A call whose callee has no frame is an activation of its line, between those of two frames.
 * Activations live in the capture, so that what a killed program left open can be folded by a
 * reader.
 */
#include "core/shadow_stack.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "base/state.h"
#include "base/system_calls.h"
#include "base/taps.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "core/activations.h"
#include "records/call_tree.h"
#include "records/made_sites.h"
#include "records/sites.h"
#include "threads/bias.h"
#include "threads/fibers.h"
#include "threads/threads.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>

/* A frame whose machine stack lies below a newer one's by less than this was jumped over by code
 * that was not rebuilt; farther away it is on another stack (a fiber, a signal stack). */
#define SAME_STACK ((uintptr_t)16 << 20)

static _Thread_local struct gpumemprof_frame spare_sink
    GPM_IE_TLS; /* when there is no memory at all */

void gpm_thread_end_scopes(struct gpm_thread *thread) {
  while (thread->latest->frame) fold_latest(thread, false);
}

/* ---- frames -------------------------------------------------------------------------------------
 */

static void drop(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  if (frame->active) end_from(thread, false, frame); /* a lock we need not take does no harm */
  frame->scope = NULL;
  gpm_capture_count(GPUMEMPROF_COUNTER_stale_frames);
}

/* Whether one of two places is on the stack of the signal handlers, which run there now. */
static GPM_COLD bool on_two_stacks(uintptr_t one, uintptr_t other) {
  stack_t s;
  if (gpm_sigaltstack(&s) || !(s.ss_flags & SS_ONSTACK)) return false;
  return (one - (uintptr_t)s.ss_sp < s.ss_size) != (other - (uintptr_t)s.ss_sp < s.ss_size);
}

/* Whether a place is on the stack of signal handlers, and none runs there any more. */
static GPM_COLD bool on_left_stack(uintptr_t place) {
  stack_t s;
  return !gpm_sigaltstack(&s) && !s.ss_flags && place - (uintptr_t)s.ss_sp < s.ss_size;
}

static GPM_COLD bool below_or_far_away_is_gone(uintptr_t place, uintptr_t newer) {
  if (!newer) return false; /* a block's */
  if (newer - place < SAME_STACK) return !on_two_stacks(place, newer);
  return on_left_stack(place);
}

static inline bool jumped_over(const struct gpumemprof_frame *frame, uintptr_t newer) {
  if (GPM_LIKELY(frame->stack - newer < SAME_STACK) || !frame->stack) return false;
  return below_or_far_away_is_gone(frame->stack, newer);
}

/* The next live frame below, or null. */
static struct gpumemprof_frame *below(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  while (frame > thread->frames)
    if ((--frame)->scope) return frame;
  return NULL;
}

/* Or null: no function below was rebuilt. */
static struct gpumemprof_frame *function_around(struct gpm_thread *thread,
                                                struct gpumemprof_frame *frame) {
  while (frame && is_block(frame)) frame = below(thread, frame);
  return frame;
}

/* The call under way in a frame: a block's frame shares that of its function. Where no function
 * below was rebuilt, what the program says of the block is the best there is. */
static GPM_NOINLINE const void *call_around(struct gpm_thread *thread,
                                            struct gpumemprof_frame *frame) {
  const struct gpumemprof_frame *block = frame;
  frame = function_around(thread, frame);
  const void *call = frame ? frame->call : block ? gpm_sites_block_line(block->scope) : NULL;
  return call ? call : (const void *)&gpm_sites_unknown;
}

static inline const void *call_of(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  bool simple = frame && !is_block(frame) && frame->call;
  return GPM_LIKELY(simple) ? frame->call : call_around(thread, frame);
}

static GPM_NOINLINE struct gpm_node *find_scope(struct gpm_node *above,
                                                const struct gpumemprof_frame *parent,
                                                const struct gpumemprof_frame *frame) {
  bool next_to_it = parent && parent + 1 == frame;
  return gpm_tree_child_slow(above, frame->scope, next_to_it ? GPM_BELOW_SCOPE : GPM_BELOW_DROPPED);
}

/* Opens a frame whose parent is open, or that has none; line: a line is the innermost activation.
 */
static GPM_INLINE bool open_next(struct gpm_thread *thread, struct gpumemprof_frame *parent,
                                 struct gpumemprof_frame *f, bool line) {
  struct gpm_node *node = parent ? parent->node : gpm_tree_root();
  if (parent && !is_block(f)) node = gpm_tree_child(node, call_of(thread, parent));
  struct gpm_node *child = node ? gpm_tree_known(node, f->scope) : NULL;
  node = GPM_LIKELY(child != NULL) ? child : node ? find_scope(node, parent, f) : NULL;
  if (!node) return false;
  if (GPM_UNLIKELY(node->begins_more || line)) return open_more(thread, parent, f, node);
  return open_frame(thread, f, node);
}

/* Opens the frame and every one below it that is not open yet, from the outermost in. */
static GPM_COLD bool open_frames(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  uintptr_t newer = frame->stack;
  struct gpumemprof_frame *first = frame;
  for (struct gpumemprof_frame *f = frame; (f = below(thread, f));) {
    if (jumped_over(f, newer)) drop(thread, f);
    else if (f->active) break;
    else first = f;
    if (f->scope && f->stack) newer = f->stack;
  }
  struct gpumemprof_frame *parent = first;
  if (!open_next(thread, below(thread, first), first, gpm_is_line(thread->latest))) return false;
  for (struct gpumemprof_frame *f = first + 1; f <= frame; f++) {
    if (!f->scope) continue;
    if (!open_next(thread, parent, f, false)) return false;
    parent = f;
  }
  return true;
}

/* A top among another thread's frames: a fiber began there, and nobody said that it moved. */
static void come_home(const struct gpm_thread *thread) {
  struct gpumemprof_stack *stack = &__gpumemprof_stack;
  if (stack->top >= thread->frames && stack->top <= thread->limit + 1) return;
  gpm_capture_count(GPUMEMPROF_COUNTER_stale_frames);
  stack->top = thread->latest->frame ? thread->latest->frame + 1 : thread->frames;
}

/* Drops frames the machine stack has left; the innermost live one, or null. */
static struct gpumemprof_frame *innermost(struct gpm_thread *thread, uintptr_t here) {
  struct gpumemprof_stack *stack = &__gpumemprof_stack;
  come_home(thread);
  struct gpumemprof_frame *f = below(thread, stack->top < stack->limit ? stack->top : stack->limit);
  while (f && jumped_over(f, here)) {
    drop(thread, f);
    if (stack->top <= stack->limit) stack->top = f;
    f = below(thread, f);
  }
  return f;
}

/* Opens the innermost live frame and finds its line. */
static GPM_COLD struct gpm_node *find_line(struct gpm_thread *thread, uintptr_t here) {
  struct gpumemprof_frame *f = innermost(thread, here);
  if (!f) return gpm_tree_child(gpm_tree_root(), &gpm_sites_unknown);
  if (!f->active && !open_frames(thread, f)) return NULL;
  return enter_call(thread, f, gpm_tree_child(f->node, call_of(thread, f)));
}

/* Opens a function's frame right above an open one: what nearly every first event in a scope needs.
 */
static inline bool open_above(struct gpm_thread *thread, struct gpumemprof_frame *f) {
  struct gpumemprof_frame *parent = f - 1;
  if (GPM_UNLIKELY(f == thread->frames || !parent->active || !parent->call || is_block(f) ||
                   jumped_over(parent, f->stack)))
    return false;
  struct gpm_node *node = gpm_tree_child(parent->node, parent->call);
  node = node ? gpm_tree_scope(node, f->scope) : NULL;
  if (!node) return false;
  if (GPM_UNLIKELY(node->begins_more || gpm_is_line(thread->latest)))
    return open_more(thread, parent, f, node);
  return open_frame(thread, f, node);
}

static inline struct gpumemprof_frame *live_frame(uintptr_t here) {
  struct gpumemprof_frame *f = gpm_thread_top(); /* at least the bottom, never open */
  return GPM_LIKELY(f->active && f->call && f->stack >= here) ? f : NULL;
}

struct gpumemprof_frame *gpm_thread_frame(void) {
  return live_frame(gpm_thread_machine_stack());
}

struct gpm_node *gpm_thread_line(struct gpm_thread *thread) {
  uintptr_t here = gpm_thread_machine_stack();
  struct gpumemprof_frame *f = live_frame(here);
  if (GPM_LIKELY(f != NULL)) return enter_call(thread, f, gpm_tree_child(f->node, f->call));
  f = gpm_thread_top();
  if (f >= thread->frames && f < thread->limit && f->call && f->stack >= here &&
      open_above(thread, f)) {
    struct gpm_node *node = gpm_tree_child(f->node, f->call); /* no line is open in it yet */
    return GPM_UNLIKELY(!node || node->spans) ? enter_line(thread, f, node, NULL) : node;
  }
  return find_line(thread, here); /* a block's frame, a stale one, or frames below to open first */
}

const void *gpm_thread_scope(struct gpm_thread *thread) {
  struct gpumemprof_frame *f = innermost(thread, gpm_thread_machine_stack());
  return f ? f->scope : NULL;
}

const void *gpm_thread_call(struct gpm_thread *thread) {
  return call_of(thread, innermost(thread, gpm_thread_machine_stack()));
}

const struct gpumemprof_frame *gpm_thread_caller(struct gpm_thread *thread) {
  uintptr_t here = gpm_thread_machine_stack();
  struct gpumemprof_frame *f = live_frame(here);
  return GPM_LIKELY(f != NULL) ? f : function_around(thread, innermost(thread, here));
}

static const struct gpumemprof_block_site attached_site = {
    GPUMEMPROF_SITE_BLOCK, 0, 0, "attached", "", "", ""};

struct gpumemprof_frame *gpm_thread_attach(struct gpm_thread *thread, struct gpm_node *call) {
  struct gpumemprof_frame *under = innermost(thread, gpm_thread_machine_stack());
  struct gpumemprof_frame *frame = __gpumemprof_stack.top;
  if (frame >= thread->limit || (under && !under->active && !open_frames(thread, under)))
    return NULL;
  while (under && under->scope == &attached_site) under = below(thread, under);
  struct gpm_node *node = gpm_tree_scope(call, under ? under->scope : (const void *)&attached_site);
  frame->scope = &attached_site;
  frame->call = NULL;
  frame->entry_clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  frame->stack = 0; /* as a block's */
  frame->operand[0] = 0;
  if (!node || !open_frame(thread, frame, node)) return NULL;
  thread->latest->record->flags |= GPUMEMPROF_ACTIVATION_ATTACHED;
  thread->latest->record->flags &= ~GPUMEMPROF_ACTIVATION_EMITTED; /* its own scope is, elsewhere */
  __gpumemprof_stack.top = frame + 1;
  return frame;
}

/* ---- called by compiled code
 * --------------------------------------------------------------------- */

static bool owns(const struct gpm_thread *thread, const struct gpumemprof_frame *frame) {
  return thread && frame >= thread->frames && frame < thread->limit;
}

GPM_EXPORT struct gpumemprof_frame *__gpumemprof_frame_slow(void) {
  struct gpm_thread *thread = gpm_thread_self();
  if (!thread) return &spare_sink;
  come_home(thread);
  if (__gpumemprof_stack.top < __gpumemprof_stack.limit) return __gpumemprof_stack.top;
  gpm_capture_count(GPUMEMPROF_COUNTER_frames_beyond_stack);
  return thread->limit;
}

/* Marks a thread busy that is not alone; false: it is already. A child that no handler of fork was
 * told of begins anew first. */
static bool enter_shared(struct gpm_thread *thread) {
  if (gpm_busy(thread)) return false;
  (void)gpm_recording();
  gpm_set_busy(thread, true);
  (void)gpm_recording(); /* the capture may have been sealed before it was busy */
  return true;
}

/* Ends the frame and all newer ones when the thread is not alone. A handler that interrupted the
 * runtime ends nothing: its frames are not open, and what it interrupted may hold the lock. */
static GPM_NOINLINE void end_shared(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  if (GPM_UNLIKELY(!enter_shared(thread))) return;
  end_from(thread, false, frame);
  gpm_set_busy(thread, false);
}

GPM_FLATTEN GPM_EXPORT void __gpumemprof_scope_exit(struct gpumemprof_frame *frame) {
  struct gpm_thread *thread = gpm_thread_current;
  if (GPM_LIKELY(gpm_bias_enter(thread))) {
    if (GPM_LIKELY(owns(thread, frame))) end_from(thread, true, frame);
    gpm_set_busy(thread, false);
  } else if (owns(thread, frame)) end_shared(thread, frame);
}

/* Ends the activation of the call that the frame's function made last, in the frame or in a block
 * of the function; and frames inside that call which code that was not rebuilt jumped over. */
static GPM_INLINE void end_line(struct gpm_thread *thread, bool alone,
                                const struct gpumemprof_frame *frame) {
  uintptr_t here = gpm_thread_machine_stack();
  for (;;) {
    const struct gpm_open *open = thread->latest;
    if (!open->frame || open->frame < frame) return;
    bool over = gpm_is_line(open) ||
                (open->frame > frame && !is_block(open->frame) && jumped_over(open->frame, here));
    if (!over) return;
    fold_latest(thread, alone);
  }
}

GPM_EXPORT void __gpumemprof_call_ended(struct gpumemprof_frame *frame) {
  struct gpm_thread *thread = gpm_thread_current;
  if (!owns(thread, frame) || thread->latest->frame < frame) return;
  if (thread->latest->frame == frame && !gpm_is_line(thread->latest)) return;
  if (GPM_LIKELY(gpm_bias_enter(thread))) {
    end_line(thread, true, frame);
    gpm_set_busy(thread, false);
  } else if (enter_shared(thread)) {
    end_line(thread, false, frame);
    gpm_set_busy(thread, false);
  }
}

/* A signal handler interrupted the runtime and left it by a longjmp to the frame. What was under
 * way there is lost, perhaps half done. */
static GPM_COLD void jumped_out_of_runtime(struct gpm_thread *thread,
                                           struct gpumemprof_frame *first,
                                           const struct gpumemprof_frame *top) {
  gpm_capture_count(GPUMEMPROF_COUNTER_events_not_stored);
  gpm_lock_forget_held(true);
  while (thread->latest->frame && !thread->latest->frame->node)
    if (gpm_is_line(thread->latest)) close_line(thread);
    else close_latest(thread);
  end_from(thread, false, first);
  for (struct gpumemprof_frame *f = first; f < top && f < thread->limit; f++)
    f->active = f->node = f->cell = NULL;
  gpm_set_busy(thread, false);
}

/* Also to the bottom of the stack: of a function without a frame, around which there is none,
 * blocks may be open. */
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
  if (top > before) top = before; /* what was ended since does not come back */
  if (top <= frame) top = frame + 1;
  __gpumemprof_stack.top = top;
  if (frame->stack >= __gpumemprof_stack.inside) __gpumemprof_stack.inside = 0; /* it was left */
  /* While busy, frames of a handler are not opened: this one was there before. */
  if (gpm_busy(thread) && frame <= thread->latest->frame)
    jumped_out_of_runtime(thread, top, before);
  thread->leaving = GPM_LEAVING_UNWINDS;
  end_shared(thread, top);
  thread->leaving = GPM_LEAVING_RETURNS;
}

static const struct gpumemprof_site gone_sites[2] = {{.kind = GPUMEMPROF_SITE_FUNCTION},
                                                     {.kind = GPUMEMPROF_SITE_BLOCK}};

/* Frames of the calling thread whose sites are about to be unmapped: they are opened while their
 * names can be read, and keep an address that stays. */
void gpm_thread_leave(const void *begin, const void *end) {
  struct gpm_thread *thread = gpm_thread_current;
  if (!thread || gpm_busy(thread) || !gpm_begin(thread)) return;
  struct gpumemprof_frame *top = __gpumemprof_stack.top;
  for (struct gpumemprof_frame *f = thread->frames; f < top && f < thread->limit; f++) {
    if (!f->scope || f->scope < begin || f->scope >= end) continue;
    bool block = is_block(f);
    if (!f->active && !open_frames(thread, f)) drop(thread, f);
    if (!f->scope) continue;
    f->scope = &gone_sites[block];
    if (f->call >= begin && f->call < end) f->call = gpm_tree_stand_in(f->node, f->call);
  }
  gpm_set_busy(thread, false);
}

bool gpm_thread_outlives_code(void) {
  if (atomic_load(&gpm_exiting)) return false; /* sites go then, and the code stays */
  struct gpm_thread *thread = gpm_thread_current;
  struct gpumemprof_frame *top = __gpumemprof_stack.top;
  for (struct gpumemprof_frame *f = thread ? thread->frames : top; f < top && f < thread->limit;
       f++)
    if (f->scope == &gone_sites[0] || f->scope == &gone_sites[1]) return true;
  return false;
}

GPM_EXPORT void __gpumemprof_profile_enter(struct gpumemprof_frame *frame) {
  struct gpm_thread *thread = gpm_thread_current;
  if (!owns(thread, frame) || gpm_busy(thread) || !gpm_recording()) return;
  int saved = errno;
  gpm_set_busy(thread, true); /* checked again: a signal handler may have forked */
  if (!gpm_recording()) frame->start = 0;
  else if (frame->active || open_frames(thread, frame)) {
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
  gpm_set_busy(thread, true);
  if (gpm_recording() && !frame->active) open_frames(thread, frame);
  gpm_end(thread);
  errno = saved;
}

/* Each thread has a range of its own. */
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
    frame->stack = 0;           /* lives in its function's machine frame, which has its own */
    frame->operand[0] = number; /* it has no calls, and so no operands */
    __gpumemprof_stack.top = frame + 1;
    atomic_signal_fence(memory_order_seq_cst);
    /* A signal handler that came before the frame was there had its own in the same place. */
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

/* Whether a block's frame is still that block's, and the calling thread's. */
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
