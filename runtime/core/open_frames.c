/* open_frames.c - opens frames when memory moves below them, and finds the line that an event is
 * charged to.
 *
 * The first event below a frame opens it: it gets a call-tree node and an activation record
 * (activations.h), and so do all frames below it. The line of an event is the call under way in the
 * innermost live frame. Opening writes records and nothing else: where an entry of the scope is a
 * step (step=), that is only counted, and the step begins in gpm_thread_begin_steps, when all
 * frames are open and before the event is charged.
 */
#include "base/compiler.h"
#include "base/state.h"
#include "base/taps.h"
#include "core/activations.h"
#include "core/live_frames.h"
#include "core/shadow_stack.h"
#include "records/call_tree.h"
#include "records/made_sites.h"
#include "records/sites.h"
#include "threads/threads.h"

/* The call under way in a frame; a block's frame uses that of its function. If no function below
 * was rebuilt, the line that the program gave for the block is the best one available. */
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

/* Opens a frame that has no parent, or whose parent is open. line: the innermost activation is of a
 * line. False: no room.
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

/* Opens frames from the outermost inwards, as activation records need that order. */
GPM_COLD bool gpm_thread_open(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
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

/* Opens the innermost live frame and returns the node of its call; null: no room. */
static GPM_COLD struct gpm_node *find_line(struct gpm_thread *thread, uintptr_t here) {
  struct gpumemprof_frame *f = innermost(thread, here);
  if (!f) return gpm_tree_child(gpm_tree_root(), &gpm_sites_unknown);
  if (!f->active && !gpm_thread_open(thread, f)) return NULL;
  return enter_call(thread, f, gpm_tree_child(f->node, call_of(thread, f)));
}

/* Opens a function's frame directly above an open one, which is the usual case of the first event
 * in a scope. False: the general way is needed.
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
  struct gpumemprof_frame *f = gpm_thread_top(); /* at least the bottom one, which is never open */
  return GPM_LIKELY(f->active && f->call && f->stack >= here) ? f : NULL;
}

struct gpumemprof_frame *gpm_thread_frame(void) {
  return live_frame(gpm_thread_machine_stack());
}

/* Begins the steps of the frames that were opened for an event, before the event is charged. */
static GPM_COLD void begin_steps(struct gpm_thread *thread) {
  while (thread->steps_due) {
    thread->steps_due--;
    gpm_schedule_entered(thread);
  }
}

void gpm_thread_begin_steps(struct gpm_thread *thread) {
  if (GPM_UNLIKELY(thread->steps_due)) begin_steps(thread);
}

struct gpm_node *gpm_thread_line(struct gpm_thread *thread) {
  uintptr_t here = gpm_thread_machine_stack();
  struct gpumemprof_frame *f = live_frame(here);
  if (GPM_LIKELY(f != NULL)) return enter_call(thread, f, gpm_tree_child(f->node, f->call));
  f = gpm_thread_top();
  if (f >= thread->frames && f < thread->limit && f->call && f->stack >= here &&
      open_above(thread, f)) {
    gpm_thread_begin_steps(thread);
    struct gpm_node *node = gpm_tree_child(f->node, f->call); /* no line is open in it yet */
    return GPM_UNLIKELY(!node || node->spans) ? enter_line(thread, f, node, NULL) : node;
  }
  struct gpm_node *line =
      find_line(thread, here); /* a block's frame, a stale one, or frames below to open first */
  gpm_thread_begin_steps(thread);
  return line;
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
  if (frame >= thread->limit || (under && !under->active && !gpm_thread_open(thread, under)))
    return NULL;
  gpm_thread_begin_steps(thread);
  while (under && under->scope == &attached_site) under = below(thread, under);
  struct gpm_node *node = gpm_tree_scope(call, under ? under->scope : (const void *)&attached_site);
  frame->scope = &attached_site;
  frame->call = NULL;
  frame->entry_clock = __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  frame->stack = 0; /* as in a block's frame */
  frame->operand[0] = 0;
  if (!node || !open_frame(thread, frame, node)) return NULL;
  thread->latest->record->flags |= GPUMEMPROF_ACTIVATION_ATTACHED;
  /* The range of the same scope is open already. */
  thread->latest->record->flags &= ~GPUMEMPROF_ACTIVATION_EMITTED;
  __gpumemprof_stack.top = frame + 1;
  return frame;
}

void gpm_thread_end_scopes(struct gpm_thread *thread) {
  while (thread->latest->frame) fold_latest(thread, false);
}

static const struct gpumemprof_site gone_sites[2] = {{.kind = GPUMEMPROF_SITE_FUNCTION},
                                                     {.kind = GPUMEMPROF_SITE_BLOCK}};

/* Opens the frames of the calling thread whose sites are about to be unmapped, while their names
 * can be read, and makes them point to sites that stay mapped. */
void gpm_thread_leave(const void *begin, const void *end) {
  struct gpm_thread *thread = gpm_thread_current;
  if (!thread || gpm_busy(thread) || !gpm_begin(thread)) return;
  struct gpumemprof_frame *top = __gpumemprof_stack.top;
  for (struct gpumemprof_frame *f = thread->frames; f < top && f < thread->limit; f++) {
    if (!f->scope || f->scope < begin || f->scope >= end) continue;
    bool block = is_block(f);
    if (!f->active && !gpm_thread_open(thread, f)) drop(thread, f);
    if (!f->scope) continue;
    f->scope = &gone_sites[block];
    if (f->call >= begin && f->call < end) f->call = gpm_tree_stand_in(f->node, f->call);
  }
  gpm_thread_begin_steps(thread);
  gpm_set_busy(thread, false);
}

bool gpm_thread_outlives_code(void) {
  /* At exit, objects withdraw their sites, but their code stays mapped. */
  if (atomic_load(&gpm_exiting)) return false;
  struct gpm_thread *thread = gpm_thread_current;
  struct gpumemprof_frame *top = __gpumemprof_stack.top;
  for (struct gpumemprof_frame *f = thread ? thread->frames : top; f < top && f < thread->limit;
       f++)
    if (f->scope == &gone_sites[0] || f->scope == &gone_sites[1]) return true;
  return false;
}
