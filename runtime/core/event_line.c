/* event_line.c - finds the line that an event is charged to.
 *
 * The line of an event is the call under way in the innermost live frame. For most events that
 * frame is open, and its latest call has a node already. Otherwise the frame is opened: directly,
 * if the frame below it is open, or by open_frames.c, with all frames below it. Frames of functions
 * that have ended are dropped on the way (live_frames.h). If no function on the stack was rebuilt,
 * the line is that of unknown code.
 */
#include "base/compiler.h"
#include "core/activations.h"
#include "core/live_frames.h"
#include "core/shadow_stack.h"
#include "records/call_tree.h"
#include "records/sites.h"
#include "threads/threads.h"

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
  if (GPM_LIKELY(f != NULL)) return f;
  f = innermost_compiled(thread, here);
  while (f && is_block(f)) f = compiled_below(thread, f);
  return f;
}

bool gpm_thread_has_compiled(struct gpm_thread *thread, uintptr_t *stack) {
  struct gpumemprof_frame *f = innermost_compiled(thread, gpm_thread_machine_stack());
  struct gpumemprof_frame *function = f;
  while (function && is_block(function)) function = compiled_below(thread, function);
  *stack = function ? function->stack : 0;
  return f;
}

void gpm_thread_drop_innermost(struct gpm_thread *thread) {
  struct gpumemprof_frame *f = innermost_compiled(thread, gpm_thread_machine_stack());
  for (bool block = true; f && block; f = compiled_below(thread, f)) {
    block = is_block(f);
    drop_top(thread, f);
  }
}
