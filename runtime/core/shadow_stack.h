/* shadow_stack.h - the frames and the open activations of a thread: see shadow_stack.c.
 */
#ifndef GPM_SHADOW_STACK_H
#define GPM_SHADOW_STACK_H

#include "core/contexts.h"
#include "records/call_tree.h"
#include "threads/threads.h"

/* Opens the frame and all frames below it that are not open yet; false: no room. */
bool gpm_thread_open(struct gpm_thread *thread, struct gpumemprof_frame *frame);
/* The same for functions that call one another above an open one, along a path that is known and
 * needs nothing else at its beginning. False: some or none of the frames were opened. */
bool gpm_thread_open_known(struct gpm_thread *thread, struct gpumemprof_frame *frame);
/* Opens the native frames that are not open yet. False: no room. */
bool gpm_thread_open_native(struct gpm_thread *thread);
/* Ends the native frames but the outermost `count`, and all frames of compiled code. */
void gpm_thread_end_native(struct gpm_thread *thread, uint32_t count);
/* Begins the steps (step=) of functions that were opened since the last call. The thread is
 * busy. */
void gpm_thread_begin_steps(struct gpm_thread *thread);
/* The node of the line that an event is charged to. */
struct gpm_node *gpm_thread_line(struct gpm_thread *thread);
/* The site of that line; makes no node. */
const void *gpm_thread_call(struct gpm_thread *thread);
/* The frame that has stored that site; null: no function on the stack was rebuilt. */
const struct gpumemprof_frame *gpm_thread_caller(struct gpm_thread *thread);
/* The site of the innermost scope; null: none. */
const void *gpm_thread_scope(struct gpm_thread *thread);
/* Whether any frame of compiled code is live; *stack: the stack pointer of the innermost function
 * among them, 0 if there are only blocks. The thread is busy. */
bool gpm_thread_has_compiled(struct gpm_thread *thread, uintptr_t *stack);
/* Drops the frame of the innermost function that gpm_thread_has_compiled tells, with its blocks: it
 * has ended. The thread is busy. */
void gpm_thread_drop_innermost(struct gpm_thread *thread);
/* The sites in [begin, end) are about to be unmapped. */
void gpm_thread_leave(const void *begin, const void *end);
/* Whether code that this thread will return to was unmapped, so that its machine stack cannot be
 * walked. */
bool gpm_thread_outlives_code(void);
/* The innermost frame, if its function is live, it is open and a call is under way in it; else
 * null. */
struct gpumemprof_frame *gpm_thread_frame(void);

/* Pushes a frame as compiled code does, for a scope and a call of made_sites.c. Events are charged
 * there until the returned frame is passed to __gpumemprof_block_exit. Called by a thread that is
 * not busy. */
static inline struct gpumemprof_frame *gpm_thread_push_at(const struct gpumemprof_site *scope,
                                                          const struct gpumemprof_site *call,
                                                          uintptr_t machine_stack) {
  struct gpumemprof_frame *frame = __gpumemprof_stack.top;
  if (frame >= __gpumemprof_stack.limit) frame = __gpumemprof_frame_slow();
  frame->scope = scope;
  frame->call = call;
  frame->entry_clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  frame->stack = machine_stack;
  __gpumemprof_stack.top = frame + 1;
  return frame;
}
/* The same, with the machine stack of the function that calls this. The frame is live as long as
 * that function, so this has to be inlined there.
 */
static GPM_INLINE struct gpumemprof_frame *gpm_thread_push(const struct gpumemprof_site *scope,
                                                           const struct gpumemprof_site *call) {
  return gpm_thread_push_at(scope, call, gpm_thread_machine_stack());
}
/* Pushes a frame that continues the innermost function's work below another call; its activation is
 * open and ATTACHED. Null: no room. */
struct gpumemprof_frame *gpm_thread_attach(struct gpm_thread *thread, struct gpm_node *call);
/* Whether this is the activation of a line, that is, of a call under way in a frame. The frame's
 * own activation is below it, and frame->active points to its record while it is open. */
static inline bool gpm_is_line(const struct gpm_open *open) {
  return open->node && open->node->line; /* not the record's flag: other threads may write there */
}
/* Charges an activation with device bytes that were allocated (or freed: negative). */
static inline void gpm_activation_charge(struct gpumemprof_capture_activation *a,
                                         int64_t device_bytes) {
  int64_t net = a->net + device_bytes;
  GPM_TEST_YIELD();
  a->net = net;
  if (net > a->peak) a->peak = net;
}
/* Adds the figures of an ended activation to the one around it. */
static inline void gpm_activation_fold(struct gpumemprof_capture_activation *parent,
                                       const struct gpumemprof_capture_activation *ended) {
  int64_t reached = parent->net + ended->peak;
  if (reached > parent->peak) parent->peak = reached;
  parent->net += ended->net;
  uint32_t flags = parent->flags | (ended->flags & GPUMEMPROF_ACTIVATION_MOVED);
  __atomic_store_n(&parent->flags, flags, __ATOMIC_RELEASE); /* last: see has_moved in repeats.c */
}

/* Charges the innermost activation of the thread, if there is one. */
static inline void gpm_thread_charge(struct gpm_thread *thread, int64_t device_bytes) {
  struct gpumemprof_capture_activation *a = thread->latest->record;
  GPM_ASSERT(!thread->has_ended);
  if (GPM_UNLIKELY(!a)) return;
  if (GPM_UNLIKELY(thread->delegating)) return gpm_contexts_charge(thread, device_bytes);
  a->flags |= GPUMEMPROF_ACTIVATION_MOVED;
  gpm_activation_charge(a, device_bytes);
}

#endif /* GPM_SHADOW_STACK_H */
