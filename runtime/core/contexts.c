/* contexts.c - work that a thread hands to other threads is charged to the call path and the scopes
 * of the thread that handed it over.
 *
 * The calls of gpumemprof.h arrive here. shadow_stack.c and gpm_thread_charge call in while a
 * thread takes part in handed-over work (thread->delegating). A context remembers the call that
 * captured it and its home: the innermost activation that was open at that call.
 *
 *   main  ──────────── load (home, SHARED) ──────────
 *                        │ capture        ▲ each event
 *   pool  worker ────────┴─ attach (ATTACHED) ── decode
 *
 * A home is charged with every event below it immediately, including the events of its own thread:
 * the peak of their sum is known only this way. When a home ends, its contexts move to the scope
 * around it. gpm_contexts_lock protects all of this, and the figures of every home.
 */
#include "core/contexts.h"
#include "base/compiler.h"
#include "base/invariants.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/state.h"
#include "base/taps.h"
#include "core/shadow_stack.h"
#include "records/call_tree.h"
#include "threads/threads.h"

#include <errno.h>

struct gpumemprof_context {
  struct gpm_node *node;            /* the call that captured it */
  struct gpm_open *home;            /* null: no scope counts it any more */
  struct gpm_thread *thread;        /* the thread of the home */
  struct gpumemprof_context *next;  /* in thread->contexts, innermost home first; or free */
  struct gpumemprof_context **link; /* the pointer to it in its list; null: in no list */
  uint32_t references;              /* one for the capture, and one for each attachment */
  uint32_t process;                 /* number of forks before the capture */
};

struct gpm_lock gpm_contexts_lock = GPM_LOCK(contexts);
static struct gpumemprof_context *free_contexts;
static uint32_t process;

static void put_in(struct gpumemprof_context *c, struct gpm_thread *thread, struct gpm_open *home) {
  c->home = home;
  c->thread = thread;
  if (!home) return;
  struct gpumemprof_context **link = &thread->contexts;
  while (*link && (*link)->home > home) link = &(*link)->next;
  c->next = *link;
  c->link = link;
  if (c->next) c->next->link = &c->next;
  *link = c;
}

static void take_out(struct gpumemprof_context *c) {
  GPM_ASSERT(gpm_lock_is_mine(&gpm_contexts_lock) && (!c->link || *c->link == c));
  if (!c->link) return;
  *c->link = c->next;
  if (c->next) c->next->link = c->link;
  c->link = NULL;
}

static void let_go(struct gpumemprof_context *c) {
  GPM_ASSERT(gpm_lock_is_mine(&gpm_contexts_lock) && c->references);
  if (--c->references) return;
  take_out(c);
  c->next = free_contexts;
  free_contexts = c;
}

/* The context that an ATTACHED activation took over. */
static struct gpumemprof_context *taken_over(const struct gpm_open *open) {
  return (struct gpumemprof_context *)(uintptr_t)open->frame->start;
}

static bool has(const struct gpm_open *open, uint32_t flag) {
  return open->record->flags & flag;
}

static void share(struct gpm_thread *thread, struct gpm_open *open) {
  if (has(open, GPUMEMPROF_ACTIVATION_SHARED)) return;
  open->record->flags |= GPUMEMPROF_ACTIVATION_SHARED;
  thread->delegating++;
}

static void charge(struct gpm_open *open, int64_t device_bytes) {
  GPM_ASSERT(gpm_lock_is_mine(&gpm_contexts_lock));
  open->record->flags |= GPUMEMPROF_ACTIVATION_MOVED;
  gpm_activation_charge(open->record, device_bytes);
}

void gpm_contexts_charge(struct gpm_thread *thread, int64_t device_bytes) {
  struct gpm_open *open = thread->latest;
  gpm_lock_take(&gpm_contexts_lock);
  if (!has(open, GPUMEMPROF_ACTIVATION_SHARED)) charge(open, device_bytes);
  while (open && open->frame) {
    if (has(open, GPUMEMPROF_ACTIVATION_SHARED)) charge(open, device_bytes);
    /* Another thread may walk on below a home, because what lies there does not change while the
     * home is open. */
    open = has(open, GPUMEMPROF_ACTIVATION_ATTACHED) ? taken_over(open)->home : open - 1;
  }
  gpm_lock_release(&gpm_contexts_lock);
}

void gpm_contexts_count(struct gpm_thread *thread, const struct gpm_moved *moved) {
  /* The walk has left the thread's own scopes, which count the memory themselves. */
  bool away = false;
  gpm_lock_take(&gpm_contexts_lock);
  for (struct gpm_open *open = thread->latest; open && open->frame;) {
    if (away && has(open, GPUMEMPROF_ACTIVATION_SHARED) &&
        has(open, GPUMEMPROF_ACTIVATION_MEASURED))
      gpm_measures_count_for(open, moved);
    bool attached = has(open, GPUMEMPROF_ACTIVATION_ATTACHED);
    open = attached ? taken_over(open)->home : open - 1;
    away |= attached;
  }
  gpm_lock_release(&gpm_contexts_lock);
}

const struct gpm_open *gpm_contexts_home(const struct gpm_open *attached,
                                         const struct gpm_thread **thread) {
  const struct gpumemprof_context *context = taken_over(attached);
  *thread = context->thread;
  return context->home;
}

/* Moves the contexts of an activation that ends to the one around it; they stay first in the
 * list. */
static void move_down(struct gpm_thread *thread, const struct gpm_open *ended,
                      struct gpm_open *around) {
  struct gpumemprof_context *c = thread->contexts;
  if (c && c->home == ended) share(thread, around);
  for (; c && c->home == ended; c = c->next) c->home = around;
}

/* Moves them to the home of another context, which is shared already, or to none. */
static void move_away(struct gpm_thread *thread, const struct gpm_open *ended,
                      const struct gpumemprof_context *to) {
  struct gpumemprof_context *c;
  while ((c = thread->contexts) && c->home == ended) {
    take_out(c);
    put_in(c, to ? to->thread : NULL, to ? to->home : NULL);
  }
}

void gpm_contexts_ended(struct gpm_thread *thread) {
  struct gpm_open *ended = thread->latest, *around = ended[-1].frame ? ended - 1 : NULL;
  gpm_lock_take(&gpm_contexts_lock);
  bool attached = has(ended, GPUMEMPROF_ACTIVATION_ATTACHED);
  struct gpumemprof_context *context = attached ? taken_over(ended) : NULL;
  if (!attached && around && !has(around, GPUMEMPROF_ACTIVATION_SHARED))
    gpm_activation_fold(around->record, ended->record);
  GPM_ASSERT(thread->delegating > 0 && (!attached || thread->measuring > 0));
  if (has(ended, GPUMEMPROF_ACTIVATION_SHARED)) {
    thread->delegating--;
    if (around && !attached) move_down(thread, ended, around);
    else move_away(thread, ended, context);
  }
  if (attached) {
    thread->delegating--;
    thread->measuring--;
    let_go(context);
  }
  gpm_lock_release(&gpm_contexts_lock);
}

void gpm_contexts_forked(void) {
  atomic_store(&gpm_contexts_lock.held, 0);
  process++; /* older contexts refer to records of the parent's capture */
}

/* ---- called by the program ---------------------------------------------------------------------
 */

GPM_EXPORT struct gpumemprof_context *__gpumemprof_context_capture(void);
struct gpumemprof_context *__gpumemprof_context_capture(void) {
  int saved = errno;
  struct gpumemprof_context *c = NULL;
  struct gpm_thread *thread = gpm_thread_enter();
  struct gpm_node *node = thread ? gpm_thread_line(thread) : NULL;
  if (node) {
    gpm_lock_take(&gpm_contexts_lock);
    if ((c = free_contexts)) free_contexts = c->next;
    else c = gpm_memory_get(sizeof *c);
    if (c) {
      struct gpm_open *home = thread->latest->frame ? thread->latest : NULL;
      *c = (struct gpumemprof_context){.node = node, .references = 1, .process = process};
      put_in(c, thread, home);
      if (home) share(thread, home);
    }
    gpm_lock_release(&gpm_contexts_lock);
  }
  if (thread) gpm_set_busy(thread, false);
  errno = saved;
  return c;
}

GPM_EXPORT struct gpumemprof_frame *__gpumemprof_context_attach(struct gpumemprof_context *c);
struct gpumemprof_frame *__gpumemprof_context_attach(struct gpumemprof_context *c) {
  int saved = errno;
  struct gpumemprof_frame *frame = NULL;
  struct gpm_thread *thread = c->process == process ? gpm_thread_enter() : NULL;
  if (thread && (frame = gpm_thread_attach(thread, c->node))) {
    gpm_lock_take(&gpm_contexts_lock);
    c->references++;
    frame->start = (uintptr_t)c;
    thread->delegating++;
    thread->measuring++;
    gpm_lock_release(&gpm_contexts_lock);
    if (thread->latest->record->flags & GPUMEMPROF_ACTIVATION_JUDGED) gpm_guards_opened(thread);
  }
  if (thread) gpm_set_busy(thread, false);
  errno = saved;
  return frame;
}

GPM_EXPORT void __gpumemprof_context_detach(struct gpumemprof_frame *frame);
void __gpumemprof_context_detach(struct gpumemprof_frame *frame) {
  struct gpm_thread *thread = gpm_thread_current;
  if (!thread || frame < thread->frames || frame >= __gpumemprof_stack.top) return;
  __gpumemprof_block_exit(frame);
}

GPM_EXPORT void __gpumemprof_context_release(struct gpumemprof_context *c);
void __gpumemprof_context_release(struct gpumemprof_context *c) {
  struct gpm_thread *thread = gpm_thread_current;
  bool busy = thread && gpm_busy(thread);
  if (c->process != process) return; /* captured in the parent process */
  if (thread && !busy) {
    gpm_set_busy(thread, true);
    (void)gpm_recording(); /* finds out whether the capture is sealed by now */
  }
  gpm_lock_take(&gpm_contexts_lock);
  let_go(c);
  gpm_lock_release(&gpm_contexts_lock);
  if (thread && !busy) gpm_set_busy(thread, false);
}
