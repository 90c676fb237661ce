/* open_frames.c - opens frames: for an event below them, and for work that another thread handed
 * over (contexts.c).
 *
 * The first event below a frame opens it: it gets a call-tree node and an activation record
 * (activations.h), and so do all frames below it. event_line.c asks for that. Opening writes
 * records and nothing else: where an entry of the scope is a step (step=), that is only counted,
 * and the step begins in gpm_thread_begin_steps, when all frames are open and before the event is
 * charged.
 */
#include "base/compiler.h"
#include "base/taps.h"
#include "core/activations.h"
#include "core/live_frames.h"
#include "core/shadow_stack.h"
#include "records/call_tree.h"
#include "records/sites.h"
#include "threads/threads.h"

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

bool gpm_thread_open_known(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  struct gpm_open *open = thread->latest;
  struct gpumemprof_frame *f = open->frame;
  /* The frame may be another thread's, below which a fiber began that came here unreported. */
  bool from_compiled = f >= thread->frames; /* there is one, and it is no native one */
  if (GPM_UNLIKELY(!from_compiled || f >= frame || frame >= thread->limit || gpm_is_line(open)))
    return false;
  struct gpumemprof_capture_activation *a = thread->next_record;
  while (++f <= frame) {
    struct gpm_node *node = known_scope(f, open[1].node);
    if (GPM_UNLIKELY(!node || a == thread->segment_end)) break;
    open_with(++open, a++, f, node, 0); /* others begin more */
  }
  thread->latest = open;
  publish(thread, a); /* all at once */
  return f > frame;
}

/* Opens frames from the outermost inwards, as activation records need that order. */
GPM_COLD bool gpm_thread_open(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  if (!is_block(frame) && gpm_thread_open_known(thread, frame)) return true;
  uintptr_t newer = frame->stack;
  struct gpumemprof_frame *first = frame;
  struct gpumemprof_frame *f = frame;
  while ((f = compiled_below(thread, f))) {
    if (jumped_over(f, newer)) drop(thread, f);
    else if (f->active) break;
    else first = f;
    if (f->scope && f->stack) newer = f->stack;
  }
  /* The callers of a block's function are not known, because its machine frame is not. */
  if (GPM_UNLIKELY(!f) && first->stack) gpm_native_update(thread, first->stack);
  struct gpumemprof_frame *parent = first;
  if (!open_next(thread, below(thread, first), first, gpm_is_line(thread->latest))) return false;
  for (f = first + 1; f <= frame; f++) {
    if (!f->scope) continue;
    if (!open_next(thread, parent, f, false)) return false;
    parent = f;
  }
  return true;
}

bool gpm_thread_open_native(struct gpm_thread *thread) {
  struct gpumemprof_frame *first = thread->native_frames, *parent = NULL;
  for (struct gpumemprof_frame *f = first; f < first + thread->native_count; parent = f++)
    if (!f->active && !open_next(thread, parent, f, false)) return false;
  return true;
}

void gpm_thread_end_native(struct gpm_thread *thread, uint32_t count) {
  end_from(thread, thread->native_frames + count);
  for (uint32_t i = count; i < thread->native_count; i++) thread->native_frames[i].scope = NULL;
  thread->native_count = count;
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
  gpm_count_ended(thread);
  while (thread->latest->frame) fold_latest(thread);
}
