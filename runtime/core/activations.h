/* activations.h - the open activations of a thread: how one begins, how it ends and adds its
 * figures to its parent, and the activations of lines, which have no frame of their own.
 * event_line.c, open_frames.c, repeats.c and shadow_stack.c include it, and so does live_frames.h.
 */
#ifndef GPM_ACTIVATIONS_H
#define GPM_ACTIVATIONS_H

#include "base/taps.h"
#include "base/ticks.h"
#include "core/contexts.h"
#include "core/ended_frames.h"
#include "core/history.h"
#include "core/shadow_stack.h"
#include "records/call_tree.h"
#include "records/devices.h"

/* A frame whose machine stack lies below a newer one's by less than this was jumped over by code
 * that was not rebuilt; farther away it is on another stack (a fiber, a signal stack). */
#define SAME_STACK ((uintptr_t)16 << 20)

static inline bool is_block(const struct gpumemprof_frame *frame) {
  return *(const uint16_t *)frame->scope == GPUMEMPROF_SITE_BLOCK;
}

/* ---- activations --------------------------------------------------------------------------------
 */

static inline void enter_activations(struct gpm_thread *thread, uint32_t k) {
  thread->segment_number = k;
  thread->segment = thread->segments[k];
  thread->segment_first = (struct gpumemprof_capture_activation *)(thread->segment + 1);
  thread->segment_end = thread->segment_first + GPM_ACTIVATIONS_PER_SEGMENT;
}

/* Makes the records of the segment up to `end` visible to readers of the capture. */
static inline void publish(struct gpm_thread *thread, struct gpumemprof_capture_activation *end) {
  GPM_ASSERT(end >= thread->segment_first && end <= thread->segment_end);
  thread->next_record = end;
  __atomic_store_n(&thread->segment->used, (uint64_t)((char *)end - (char *)thread->segment_first),
                   __ATOMIC_RELEASE);
}

/* Goes to the next segment, because the current one is full or there is none. Null: no room. */
static GPM_COLD_IN_HEADER struct gpumemprof_capture_activation *
more_activations(struct gpm_thread *thread) {
  uint32_t k = thread->segment ? thread->segment_number + 1 : 0;
  if (!thread->segments[k])
    thread->segments[k] = gpm_capture_chunk(
        GPUMEMPROF_CHUNK_ACTIVATIONS, sizeof(struct gpumemprof_capture_activation), thread->number,
        GPM_ACTIVATIONS_PER_SEGMENT * sizeof(struct gpumemprof_capture_activation));
  if (!thread->segments[k]) return NULL;
  enter_activations(thread, k);
  return thread->segment_first;
}

/* Opens a frame with record `a`, which there is room for, in the next entry of the array. The
 * caller makes that the latest one and publishes the record. */
static inline void open_with(struct gpm_open *open, struct gpumemprof_capture_activation *a,
                             struct gpumemprof_frame *frame, struct gpm_node *node,
                             uint32_t flags) {
  GPM_ASSERT(open[-1].frame < frame && open[-1].record < a); /* outermost first */
  GPM_ASSERT(!frame->active && !frame->node && !frame->cell);
  *a = (struct gpumemprof_capture_activation){
      .node = node->id, .flags = flags, .entry_clock = frame->entry_clock};
  open->frame = frame;
  open->record = a;
  open->node = node;
  frame->active = a;
  frame->node = node;
  frame->entry_clock = GPM_NOT_BY_ITSELF;
}

static inline bool open_frame(struct gpm_thread *thread, struct gpumemprof_frame *frame,
                              struct gpm_node *node) {
  struct gpumemprof_capture_activation *a = thread->next_record;
  if (GPM_UNLIKELY(a == thread->segment_end) && !(a = more_activations(thread))) return false;
  open_with(thread->latest + 1, a, frame, node, node->opens_with);
  thread->latest++;
  publish(thread, a + 1);
  return true;
}

/* Whether the node is that of a scope below a call of another scope. */
static inline bool is_path(const struct gpm_node *node, const struct gpm_node *from,
                           const void *call, const void *scope) {
  return node && atomic_load_explicit(&node->site, memory_order_relaxed) == scope &&
         atomic_load_explicit(&node->parent->site, memory_order_relaxed) == call &&
         node->parent->parent == from;
}

static GPM_NOINLINE_IN_HEADER struct gpm_node *searched_scope(struct gpm_node *from,
                                                              const void *call, const void *scope) {
  struct gpm_node *of_call = gpm_tree_known(from, call);
  return of_call ? gpm_tree_known(of_call, scope) : NULL;
}

/* The node of a frame whose function the function of the frame below called; null: it is not known,
 * or it is not that simple. A block has no machine frame: its stack is 0. likely: what it may
 * be, or null. */
static GPM_INLINE struct gpm_node *known_scope(const struct gpumemprof_frame *f,
                                               struct gpm_node *likely) {
  const struct gpumemprof_frame *parent = f - 1;
  const void *scope = f->scope, *call = parent->call;
  if (GPM_UNLIKELY(!scope)) return NULL;
  if (GPM_UNLIKELY(!call)) return NULL;
  if (GPM_UNLIKELY(parent->stack - f->stack >= SAME_STACK)) return NULL;
  struct gpm_node *node = likely;
  if (GPM_UNLIKELY(!is_path(node, parent->node, call, scope)))
    node = searched_scope(parent->node, call, scope);
  return GPM_LIKELY(node && !node->begins_more) ? node : NULL;
}

/* Opens the frame directly above the innermost open one, if its path is known. False: nothing was
 * done. */
static GPM_INLINE bool open_known(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  struct gpm_node *node = known_scope(frame, thread->latest[1].node);
  return GPM_LIKELY(node != NULL) && open_frame(thread, frame, node);
}

/* Does the rest for an innermost scope whose node has begins_more set. */
static inline void begin_latest(struct gpm_thread *thread, const struct gpm_node *node) {
  uint32_t flags = node->opens_with;
  if (node->is_step) thread->steps_due++;
  if (flags & GPUMEMPROF_ACTIVATION_EMITTED) gpm_nvtx_emit_opened(thread->latest);
  if (flags & GPUMEMPROF_ACTIVATION_JUDGED) gpm_guards_opened(thread);
}

/* For GPM_ASSERT: the end of an activation clears what the runtime wrote into its frame. */
static inline bool clean_from(const struct gpm_thread *thread,
                              const struct gpumemprof_frame *frame) {
  for (unsigned i = 0; i < 8 && frame < thread->limit; i++, frame++)
    if (frame->active || frame->node || frame->cell) return false;
  return true;
}

static inline void enter_segment_of(struct gpm_thread *thread,
                                    const struct gpumemprof_capture_activation *record) {
  if (GPM_UNLIKELY(record < thread->segment_first)) /* later segments: higher in the file */
    enter_activations(thread, thread->segment_number - 1);
}

/* Removes the innermost activation, `open`, which is that of a frame. Its record is in the segment
 * in use. */
static inline void remove_latest(struct gpm_thread *thread, struct gpm_open *open,
                                 struct gpumemprof_frame *frame,
                                 struct gpumemprof_capture_activation *record) {
  frame->active = frame->node = frame->cell = NULL;
  thread->latest = open - 1;
  publish(thread, record);
}

/* Removes the innermost activation, which is that of a frame. */
static inline void close_latest(struct gpm_thread *thread) {
  struct gpm_open *open = thread->latest;
  enter_segment_of(thread, open->record);
  remove_latest(thread, open, open->frame, open->record);
}

/* Removes the innermost activation, which is that of a line. Its frame stays open. */
static inline void close_line(struct gpm_thread *thread) {
  struct gpm_open *open = thread->latest;
  open->frame->active = open[-1].record;
  thread->latest = open - 1;
  enter_segment_of(thread, open->record);
  publish(thread, open->record);
}

/* The wall time, in ticks, of a profiled activation that ends. */
static inline uint64_t ticks_of(struct gpm_thread *thread, const struct gpm_open *open) {
  if (open->record->flags & GPUMEMPROF_ACTIVATION_MEASURED) return gpm_measures_ended(thread, open);
  return gpm_ticks() - open->frame->start;
}

/* Ends the innermost activation and adds its figures to its parent. marked: it has one of the flags
 * that fold_latest tests. */
static GPM_INLINE void fold(struct gpm_thread *thread, bool marked) {
  struct gpm_open *open = thread->latest;
  struct gpumemprof_capture_activation *a = open->record, *parent = open[-1].record;
  bool line = marked && gpm_is_line(open);
  struct gpm_node *node = line ? open->node : open->frame->node;
  GPM_ASSERT(open->frame->active == a && a->peak >= 0);
  bool delegating = GPM_UNLIKELY(thread->delegating);
  if (delegating) gpm_contexts_ended(thread);
  GPM_ASSERT(a->peak >= a->net); /* no other thread charges it any more */
  if (marked && a->flags & GPUMEMPROF_ACTIVATION_EMITTED) gpm_nvtx_emit_ended();
  if (GPM_LIKELY(gpm_recording())) {
    bool profiled = marked && a->flags & GPUMEMPROF_ACTIVATION_PROFILED;
    bool counts = profiled || a->flags & GPUMEMPROF_ACTIVATION_MOVED;
    if (marked && a->flags & GPUMEMPROF_ACTIVATION_JUDGED && node)
      gpm_budgets_ended(thread, node, a);
    if (counts && node) /* no node: a signal handler jumped out of this function */
      gpm_ledger_scope_ended(node->record, a, profiled ? ticks_of(thread, open) : 0);
    if (GPM_UNLIKELY(gpm_history_is_on()) && node && a->flags & GPUMEMPROF_ACTIVATION_MOVED)
      gpm_history_scope_ended(thread, node->id);
    if (parent && !delegating) gpm_activation_fold(parent, a);
  }
  if (parent) open[-1].frame->entry_clock = GPM_NOT_BY_ITSELF;
  if (line) close_line(thread);
  else close_latest(thread);
}

static GPM_NOINLINE_IN_HEADER void fold_marked(struct gpm_thread *thread) {
  fold(thread, true);
}

/* Ends the innermost activation. */
static GPM_INLINE void fold_latest(struct gpm_thread *thread) {
  const uint32_t marks = GPUMEMPROF_ACTIVATION_PROFILED | GPUMEMPROF_ACTIVATION_JUDGED |
                         GPUMEMPROF_ACTIVATION_EMITTED | GPUMEMPROF_ACTIVATION_LINE;
  if (GPM_UNLIKELY(thread->latest->record->flags & marks)) fold_marked(thread);
  else fold(thread, false);
}

/* Ends the activation of a frame, if that is the innermost one, memory moved in it, and nothing
 * else is to be done at its end. single: only if memory moved in the one around it before. False:
 * nothing was done. */
static GPM_INLINE bool end_simply(struct gpm_thread *thread, struct gpumemprof_frame *frame,
                                  bool single) {
  struct gpm_open *open = thread->latest;
  if (GPM_UNLIKELY(open->frame != frame)) return false; /* of the bottom, nothing else is read */
  struct gpumemprof_capture_activation *a = open->record, *parent = open[-1].record;
  const struct gpm_node *node = frame->node;
  if (GPM_UNLIKELY(a->flags != GPUMEMPROF_ACTIVATION_MOVED || a < thread->segment_first))
    return false;
  if (GPM_UNLIKELY(!parent) || GPM_UNLIKELY(!node)) return false;
  if (single && GPM_UNLIKELY(!parent->flags)) return false;
  if (GPM_UNLIKELY(!gpm_ledger_scope_ended_simply(node->record, a))) return false;
  gpm_activation_fold(parent, a);
  remove_latest(thread, open, frame, a);
  return true;
}

static GPM_INLINE void end_from(struct gpm_thread *thread, struct gpumemprof_frame *frame) {
  while (thread->latest->frame >= frame) /* the bottom's frame is null */
    fold_latest(thread);
  GPM_ASSERT(clean_from(thread, frame));
}

/* ---- activations of lines -----------------------------------------------------------------------
 *
 * A call whose callee has no frame (GPUMEMPROF_SITE_SPANS) is an activation of its line, from the
 * first event in the call until compiled code reports the end of the call. It has no frame of its
 * own: it is on top of the activation of the frame that makes the call, and frame->active points to
 * it.
 */

static inline bool open_line(struct gpm_thread *thread, struct gpumemprof_frame *frame,
                             struct gpm_node *node, uint64_t entry_clock) {
  struct gpumemprof_capture_activation *a = thread->next_record;
  if (GPM_UNLIKELY(a == thread->segment_end) && !(a = more_activations(thread))) return false;
  *a = (struct gpumemprof_capture_activation){
      .node = node->id, .flags = GPUMEMPROF_ACTIVATION_LINE, .entry_clock = entry_clock};
  publish(thread, a + 1);
  GPM_ASSERT(thread->latest->frame == frame && thread->latest->record == frame->active);
  *++thread->latest = (struct gpm_open){frame, a, node};
  frame->active = a;
  frame->cell = NULL; /* the next event looks up its line, and ends this activation if need be */
  return true;
}

/* Opens the activation of a call whose line spans. First ends that of another line which is still
 * open in the frame: compiled code did not report its end, because a signal handler ran between
 * that call and the code after it. Returns the node, or null: no room. */
static GPM_COLD_IN_HEADER struct gpm_node *enter_line(struct gpm_thread *thread,
                                                      struct gpumemprof_frame *frame,
                                                      struct gpm_node *node,
                                                      const struct gpumemprof_frame *above) {
  if (!node || thread->latest->frame != frame) return node;
  if (gpm_is_line(thread->latest)) {
    if (thread->latest->node == node) return node;
    fold_latest(thread);
  }
  uint64_t since =
      above ? above->entry_clock : __atomic_load_n(&__gpumemprof_clock.events, __ATOMIC_RELAXED);
  return !node->spans || open_line(thread, frame, node, since) ? node : NULL;
}

/* Memory is about to move directly in a call of an open frame, with no scope in between. Returns
 * the call's node, or null: no room. */
static inline struct gpm_node *enter_call(struct gpm_thread *thread, struct gpumemprof_frame *frame,
                                          struct gpm_node *call) {
  if (GPM_UNLIKELY(!call || call->spans || gpm_is_line(thread->latest)))
    return enter_line(thread, frame, call, NULL);
  return call;
}

/* Opens a frame whose node has begins_more set, or while a line is the innermost activation. False:
 * no room. */
static GPM_COLD_IN_HEADER bool open_more(struct gpm_thread *thread, struct gpumemprof_frame *parent,
                                         struct gpumemprof_frame *frame, struct gpm_node *node) {
  bool below_call = parent && !is_block(frame);
  /* Takes the call from the scope's parent node, because parent->call may be stale. */
  if (below_call && !enter_line(thread, parent, node->parent, frame)) return false;
  if (!open_frame(thread, frame, node)) return false;
  if (node->begins_more) begin_latest(thread, node);
  return true;
}

#endif /* GPM_ACTIVATIONS_H */
