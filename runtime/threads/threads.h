/* threads.h - a part of runtime.h's map: what a thread has. Its record, its frames, the activations
 * that are open on it, and those it works for.
 */
#ifndef GPM_THREADS_H
#define GPM_THREADS_H

#include "runtime.h"

/* ---- threads.c: a thread's record ---------------------------------------------------------------
 */
#define GPM_ACTIVATIONS_PER_SEGMENT 126u /* 4 KiB chunks */
/* The latest free of a thread, recorded before its call returned: what taking it back needs. */
struct gpm_pending_free {
  uint64_t address;
  struct gpm_pair *pair; /* null: the address was not known */
  _Alignas(16) uint64_t lifetime_clock;
  uint64_t temporary;      /* 0 or 1; in one store with the word above */
  uint64_t lifetime_ticks; /* if the block was timed */
  uint64_t candidate;      /* thread's temporary_candidate before a free of an unknown address */
  uint64_t clock, ticks;   /* for the history */
};
_Static_assert(offsetof(struct gpm_pending_free, lifetime_clock) == 16, "no room is wasted");
struct gpm_reset;
struct physical;
enum gpm_leaving { GPM_LEAVING_RETURNS, GPM_LEAVING_UNWINDS, GPM_LEAVING_THREAD_ENDS };
struct gpm_noted;
struct gpm_observer;
struct gpm_noted_list { /* observers.c: events the program is to be told of */
  struct gpm_noted *first;
  uint32_t count, room;
  uint32_t process;                  /* forks before */
  bool telling;                      /* it is being told: nothing more is noted */
  bool awaits;                       /* a free is under way whose end is told apart */
  struct gpm_noted *freeing;         /* free under way whose end is to be told, or null */
  uint64_t freeing_key;              /* its block's; 0: there is none */
  const struct gpm_observer *inside; /* whose hook it is in */
};
struct gpm_open { /* an open activation */
  struct gpumemprof_frame *frame;
  struct gpumemprof_capture_activation *record;
  struct gpm_node *line; /* of a line: the call's node; else null, and frame->node is its node */
};
/* Inside the runtime: a signal handler must keep out. Alone: the bias stands for locks (bias.h). */
enum gpm_busy { GPM_NOT_BUSY, GPM_BUSY, GPM_BUSY_ALONE };
struct gpm_thread {
  /* A cache line with what each event needs. */
  _Atomic unsigned char busy; /* enum gpm_busy */
  bool settled;               /* bias.c: it has made an event */
  uint32_t number;            /* owner of its ACTIVATIONS; reused after its end */
  /* The latest event if that was an allocation, else 0: its block is temporary if freed next. */
  uint64_t temporary_candidate;
  struct gpm_near near; /* where its latest allocation was entered */
  struct gpm_pending_free pending;
  /* Then what opening and ending frames needs. */
  struct gpm_open *latest; /* the innermost of an array, outermost first, on a bottom of nulls */
  struct gpumemprof_frame *frames;
  struct gpumemprof_frame *limit;   /* the sink */
  struct gpumemprof_chunk *segment; /* of its ACTIVATIONS, the one in use; null before the first */
  struct gpumemprof_capture_activation *segment_first, *segment_end;
  struct gpumemprof_capture_activation *next_record; /* in it, or its end */
  struct gpumemprof_chunk **segments;
  uint32_t segment_number;
  /* Open activations in which work was handed over or taken over; their contexts. */
  uint32_t delegating;
  struct gpumemprof_context *contexts; /* contexts.c: innermost home first */
  uint32_t measuring;                  /* measures.c: measured scopes and taken over work */
  enum gpm_leaving leaving;            /* why scopes end just now */
  struct gpm_measure *measure;         /* the innermost measured scope */
  struct gpm_meter *meter;             /* what it counts; null before the first */
  const struct gpm_label *label;       /* labels.c: what is allocated now is under it */
  struct gpm_labels *labels;           /* those around it; null before the first */
  struct gpm_history history;
  uint64_t piece_freed_at_call;  /* custom.c: latest event, if that, else 0 */
  struct gpm_reset *reset;       /* resets.c: under way */
  struct physical *releasing;    /* virtual_memory.c: the same */
  uint32_t pool_events;          /* cuda_hooks.c: since the pools were looked at */
  const void *stream;            /* cuda_hooks.c: of its latest allocation of kind pool */
  struct gpm_guard *guard;       /* guards.c: of its innermost NO_LEAK scope */
  struct gpm_guard *freed_guard; /* that its latest free of a guarded block was counted by */
  struct gpm_noted_list noted;
  struct gpm_thread *next_free;
  /* fibers.c: the machine stack it stands for may be away from every thread. */
  struct gpm_thread *next;           /* of all that were ever made */
  struct gpumemprof_frame *left_top; /* null: it stands for none */
  bool attached;                     /* some thread's current */
};
extern _Thread_local struct gpm_thread *gpm_thread_current
    GPM_IE_TLS; /* null before its first use */
struct gpm_thread *gpm_thread_make(void);
static inline struct gpm_thread *gpm_thread_self(void) { /* null when there is no memory */
  return GPM_LIKELY(gpm_thread_current != NULL) ? gpm_thread_current : gpm_thread_make();
}
static inline bool gpm_busy(const struct gpm_thread *thread) {
  return atomic_load_explicit(&thread->busy, memory_order_acquire);
}
static inline void gpm_set_busy(struct gpm_thread *thread, bool busy) {
  atomic_store_explicit(&thread->busy, busy ? GPM_BUSY : GPM_NOT_BUSY, memory_order_release);
}
/* Marks a thread busy that is not, and looks at the state once more: before it was busy, a signal
 * handler may have forked, and who seals the capture (seal.c) did not wait for it. False: nothing
 * is recorded, and it is not busy. */
static inline bool gpm_begin(struct gpm_thread *thread) {
  gpm_set_busy(thread, true);
  if (GPM_LIKELY(gpm_recording())) return true;
  gpm_set_busy(thread, false);
  return false;
}
/* Makes it the calling thread's: the stack goes on at left_top. Null: it has none for now. */
void gpm_thread_switch(struct gpm_thread *thread);
void gpm_thread_release(struct gpm_thread *thread); /* ends its scopes; it will be another's */
struct gpm_thread *gpm_thread_of_frame(const struct gpumemprof_frame *frame); /* or null */
struct gpm_thread *gpm_thread_newest(void); /* of all that were ever made, by ->next */
void gpm_threads_start(void);               /* once per program */
void gpm_threads_end(void); /* the runtime may be unmapped with the object it was linked into */
/* In a forked child; inside: by a handler that interrupted the runtime, which is going to end. */
void gpm_threads_forked(bool inside);

/* ---- fibers.c: fibers ------------------------------------------------------------------------
 */
/* Control arrived at a frame that is not the current record's: makes its record current, unless
 * another thread's. Returns the current one, or null. */
GPM_COLD struct gpm_thread *gpm_fibers_resume(const struct gpumemprof_frame *frame);

/* ---- shadow_stack.c: frames and activations -----------------------------------------------------
 */
struct gpm_node *gpm_thread_line(struct gpm_thread *thread); /* node of the event under way */
const void *gpm_thread_call(struct gpm_thread *thread);      /* its site, and no node for it */
const struct gpumemprof_frame *gpm_thread_caller(struct gpm_thread *thread); /* its; or null */
const void *gpm_thread_scope(struct gpm_thread *thread);   /* innermost; null: none */
void gpm_thread_end_scopes(struct gpm_thread *thread);     /* all that are open */
void gpm_thread_leave(const void *begin, const void *end); /* sites of this thread's frames go */
/* Code that this thread will return to is unmapped: its machine stack cannot be walked. */
bool gpm_thread_outlives_code(void);
/* The innermost frame, if its function is live, it is open and a call is under way; else null. */
struct gpumemprof_frame *gpm_thread_frame(void);
/* The newest frame, live or not; one with nothing in it when there is none. */
static inline struct gpumemprof_frame *gpm_thread_top(void) {
  return __gpumemprof_stack.top - 1;
}
/* An address below every frame of the program that is live. */
static GPM_INLINE uintptr_t gpm_thread_machine_stack(void) {
#if defined(__x86_64__)
  uintptr_t sp;
  __asm__("mov %%rsp, %0" : "=r"(sp)); /* unlike a frame address, costs the caller no register */
  return sp;
#else
  return (uintptr_t)__builtin_frame_address(0);
#endif
}
/* Pushes a frame as compiled code does, for a scope and a call of made_sites.c: what happens until
 * __gpumemprof_block_exit of what it returns is charged there. By a thread that is not busy. */
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
/* The same; it lives as long as the function that calls this, so that has to be compiled into it.
 */
static GPM_INLINE struct gpumemprof_frame *gpm_thread_push(const struct gpumemprof_site *scope,
                                                           const struct gpumemprof_site *call) {
  return gpm_thread_push_at(scope, call, gpm_thread_machine_stack());
}
/* Pushes a frame that goes on with the innermost function's work below another call; its activation
 * is open and ATTACHED. Null: no room. */
struct gpumemprof_frame *gpm_thread_attach(struct gpm_thread *thread, struct gpm_node *call);
/* An activation of a line: of a call under way in the frame, which has an activation of its own
 * below it. While it is open, frame->active is its record. Not for the bottom of the array. */
static inline bool gpm_is_line(const struct gpm_open *open) {
  return open->line != NULL; /* not the record's flag: other threads may write there */
}
/* Device bytes allocated (or freed: negative) in an activation. */
static inline void gpm_activation_charge(struct gpumemprof_capture_activation *a,
                                         int64_t device_bytes) {
  int64_t net = a->net + device_bytes;
  GPM_TEST_YIELD();
  a->net = net;
  if (net > a->peak) a->peak = net;
}
/* An ended activation goes into the one around it. */
static inline void gpm_activation_fold(struct gpumemprof_capture_activation *parent,
                                       const struct gpumemprof_capture_activation *ended) {
  int64_t reached = parent->net + ended->peak;
  if (reached > parent->peak) parent->peak = reached;
  parent->net += ended->net;
  parent->flags |= ended->flags & GPUMEMPROF_ACTIVATION_MOVED;
}

/* ---- labels.c: names for stretches of time ------------------------------------------------------
 */
const char *gpm_labels_text(const struct gpm_label *label); /* those around it too; null: none */
const char *gpm_labels_own(const struct gpm_label *label);
/* One who pushes and pops labels: the program's calls are 0, nvtx.c has one for each domain. */
enum { GPM_LABELS_OF_CALLS = 0, GPM_LABEL_OWNERS = 64 };
/* By a thread that is busy. How many of the owner's are open after it; of push 0: no memory, of pop
 * -1: there was none. */
int gpm_labels_push(struct gpm_thread *thread, unsigned owner, const char *text);
int gpm_labels_pop(struct gpm_thread *thread, unsigned owner);
const struct gpm_label *gpm_labels_find(const char *text); /* with nothing around it; or null */
void gpm_labels_end(struct gpm_thread *thread);
void gpm_labels_forked(void);

/* ---- contexts.c: work handed to other threads
 * ----------------------------------------------------
 */
/* What gpm_thread_charge does while thread->delegating. */
GPM_COLD void gpm_contexts_charge(struct gpm_thread *thread, int64_t device_bytes);
/* The thread's innermost activation ends while thread->delegating: after this no other thread
 * charges it, and what of it goes into others has gone there. */
GPM_COLD void gpm_contexts_ended(struct gpm_thread *thread);
/* The innermost guard (budgets.h) around what a thread does, while thread->delegating; or null.
 * Under gpm_budgets_lock. */
GPM_COLD struct gpm_guard *gpm_contexts_guard(const struct gpm_thread *thread);
void gpm_contexts_forked(void);
extern struct gpm_lock gpm_contexts_lock; /* shared activations and their flags */
struct gpm_moved;
/* The thread moved memory: to measured scopes of others that it works for. */
void gpm_contexts_count(struct gpm_thread *thread, const struct gpm_moved *moved);

/* The same as gpm_activation_charge, in the innermost one of the thread, if there is one. */
static inline void gpm_thread_charge(struct gpm_thread *thread, int64_t device_bytes) {
  struct gpumemprof_capture_activation *a = thread->latest->record;
  if (GPM_UNLIKELY(!a)) return;
  if (GPM_UNLIKELY(thread->delegating)) return gpm_contexts_charge(thread, device_bytes);
  a->flags |= GPUMEMPROF_ACTIVATION_MOVED;
  gpm_activation_charge(a, device_bytes);
}

#endif /* GPM_THREADS_H */
