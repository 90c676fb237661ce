/* threads.h - the record of a thread, in which all rooms above keep their data, and whether the
 * thread is inside the runtime: see threads.c.
 */
#ifndef GPM_THREADS_H
#define GPM_THREADS_H

#include "base/invariants.h"
#include "base/state.h"
#include "base/taps.h"
#include "gpumemprof/capture.h"
#include "gpumemprof/hooks.h"
#include "threads/observing.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* The table of blocks that a thread last inserted into, because the next event is mostly in the
 * same one. */
struct gpm_near {
  uint64_t start; /* first address, not 0; UINT64_MAX: none */
  struct gpm_block *slots;
};
struct gpm_history { /* of a thread */
  /* Where the next event is written is in the chunk's header. Null before the first event. */
  struct gpumemprof_chunk *chunk;
  uint64_t limit;                      /* no event begins where the chunk has that much */
  uint64_t events;                     /* in the chunk */
  uint64_t clock, time, address, size; /* of the latest event */
  uint64_t sequence;                   /* of the chunk */
  uint64_t used_first; /* the first value that was written for an operation; 0: none was */
};

/* The latest launch of a thread at one place in the source. It is as it must be if a launch repeats
 * it, and is compared 16 bytes at a time. */
#define GPM_LAUNCH_VALUES GPUMEMPROF_LAUNCH_VALUES
struct gpm_launch {
  _Alignas(16) uint64_t clock; /* of its event */
  uint64_t own;                /* the first two words of gpm_own, or GPM_NO_LAUNCH */
  uint64_t value[GPM_LAUNCH_VALUES];
  const void *stream;
  uint32_t event; /* the beginning of a repeated event, the first byte is the lowest */
};
#define GPM_NO_LAUNCH UINT64_MAX
#define GPM_LAUNCH_PLACES 256u           /* the first never has a launch */
#define GPM_ACTIVATIONS_PER_SEGMENT 126u /* 4 KiB chunks */
/* The latest free of a thread, which is recorded before its call returns, with what is needed to
 * take the record back. */
struct gpm_pending_free {
  uint64_t address;
  struct gpm_pair *pair; /* null: the address was not known */
  _Alignas(16) uint64_t lifetime_clock;
  uint64_t temporary;      /* 0 or 1; stored together with the word above */
  uint64_t lifetime_ticks; /* if the block was timed */
  uint64_t candidate;      /* temporary_candidate before a free of an unknown address */
  uint64_t clock, ticks;   /* for the history */
};
_Static_assert(offsetof(struct gpm_pending_free, lifetime_clock) == 16, "no room is wasted");
struct gpm_guard;
struct gpm_label;
struct gpm_labels;
struct gpm_measure;
struct gpm_meter;
struct gpm_native;
struct gpm_node;
struct gpm_pair;
struct gpm_reset;
struct physical;
enum gpm_leaving { GPM_LEAVING_RETURNS, GPM_LEAVING_UNWINDS, GPM_LEAVING_THREAD_ENDS };
struct gpm_notice;
struct gpm_observer;
struct gpm_notices { /* observers.c: events that the program is still to be notified of */
  struct gpm_notice *first;
  uint32_t count, room;
  uint32_t process;                  /* number of forks before */
  bool delivering;                   /* the program is being called; nothing is added meanwhile */
  bool awaits;                       /* a free is under way whose success is reported later */
  struct gpm_notice *freeing;        /* the notice of a free under way, or null */
  uint64_t freeing_key;              /* the key of its block; 0: there is none */
  const struct gpm_observer *inside; /* the observer whose hook the thread runs */
};
struct gpm_open { /* an open activation */
  struct gpumemprof_frame *frame;
  struct gpumemprof_capture_activation *record;
  struct gpm_node *node; /* of the frame's scope; of the call if this is the activation of a line */
};
/* A thread that is busy is inside the runtime, and its signal handlers must not record. */
struct gpm_thread {
  /* The first cache line has the data that each event needs. */
  _Atomic bool busy;
  uint32_t number; /* owner of its ACTIVATIONS; reused after the thread's end */
  /* The latest event if that was an allocation, otherwise 0. The block is temporary if it is freed
   * next. */
  uint64_t temporary_candidate;
  struct gpm_near near; /* the table of its latest allocation */
  struct gpm_pending_free pending;
  /* The data that opening and ending frames needs follow. First the innermost open activation, in
   * an array with the outermost first, after an entry of nulls. The entry behind it keeps the node
   * that was open there last, or null: the next one is often the same. */
  struct gpm_open *latest;
  /* ended_frames.c: the innermost open activations have ended and are not counted yet; and the
   * highest total of a device since they were entered. */
  atomic_bool has_ended;
  uint64_t ended_highest;
  struct gpumemprof_frame *frames;
  struct gpumemprof_frame *limit; /* the sink */
  /* native_scopes.c: frames of functions that were not rebuilt and that called those in `frames`,
   * or are all that there is. They lie below these. */
  struct gpumemprof_frame *native_frames;
  uint32_t native_count, native_room;
  struct gpm_native *native;        /* what else is known of them; null before the first */
  struct gpumemprof_chunk *segment; /* of its ACTIVATIONS, the one in use; null before the first */
  struct gpumemprof_capture_activation *segment_first, *segment_end;
  struct gpumemprof_capture_activation *next_record; /* the next one in the segment, or its end */
  struct gpumemprof_chunk **segments;
  uint32_t segment_number;
  /* The number of open activations in which work was handed over or taken over, and their
   * contexts. */
  uint32_t delegating;
  struct gpumemprof_context *contexts; /* contexts.c: innermost home first */
  uint32_t measuring;            /* measures.c: number of measured scopes and of work taken over */
  enum gpm_leaving leaving;      /* why scopes are ending */
  struct gpm_measure *measure;   /* the innermost measured scope */
  struct gpm_meter *meter;       /* what it counts; null before the first */
  const struct gpm_label *label; /* labels.c: allocations are recorded under it */
  struct gpm_labels *labels;     /* the labels that are open; null before the first */
  struct gpm_history history;
  struct gpm_uses *uses;         /* uses.c: its latest operations; null before the first */
  uint64_t piece_freed_at_call;  /* custom.c: the latest event if that freed a piece, otherwise 0 */
  struct gpm_reset *reset;       /* resets.c: the reset under way */
  struct physical *releasing;    /* virtual_memory.c: the memory whose release is under way */
  uint32_t pool_events;          /* cuda_hooks.c: how many since the pools were last read */
  uint32_t steps_due;            /* activations.h: steps that began with frames opened since */
  const void *stream;            /* cuda_hooks.c: of its latest allocation of kind pool ... */
  const void *pool;              /* ... and the pool that the call named; null: none */
  struct gpm_guard *guard;       /* guards.c: of its innermost NO_LEAK scope */
  struct gpm_guard *freed_guard; /* the guard that counted its latest free of a guarded block */
  struct gpm_notices notices;
  struct gpm_thread *next_free;
  /* fibers.c: the machine stack of the record may be suspended, on no thread. */
  struct gpm_thread *next;           /* the next older record of all that were ever made */
  struct gpumemprof_frame *left_top; /* null: the record has no machine stack */
  bool attached;                     /* it is the current record of a thread */
  /* With uses=on: LAUNCH_PLACES of them, for places in the source; see launches.c. */
  struct gpm_launch launches[];
};
extern _Thread_local struct gpm_thread *gpm_thread_current
    GPM_IE_TLS; /* null before its first use */
/* The same; instead of null a record that is always busy, so that the quick way does not ask. */
extern _Thread_local struct gpm_thread *gpm_thread_or_none GPM_IE_TLS;
struct gpm_thread *gpm_thread_make(void);
static inline struct gpm_thread *gpm_thread_self(void) { /* null when there is no memory */
  return GPM_LIKELY(gpm_thread_current != NULL) ? gpm_thread_current : gpm_thread_make();
}
static inline bool gpm_busy(const struct gpm_thread *thread) {
  return atomic_load_explicit(&thread->busy, memory_order_acquire);
}
static inline void gpm_set_busy(struct gpm_thread *thread, bool busy) {
  atomic_store_explicit(&thread->busy, busy, memory_order_release);
}
/* Call before anything looks at the open activations of the calling thread, which is busy. */
static inline void gpm_count_ended(struct gpm_thread *thread) {
  if (GPM_UNLIKELY(atomic_load_explicit(&thread->has_ended, memory_order_acquire)))
    gpm_thread_count_ended(thread);
}
/* Marks a thread busy and checks the state once more: before it was busy, a signal handler may have
 * forked, and the thread that seals the capture (seal.c) did not wait for it. False: nothing is
 * recorded, and the thread is not busy. */
static inline bool gpm_begin(struct gpm_thread *thread) {
  gpm_set_busy(thread, true);
  bool recording = gpm_recording();
  gpm_count_ended(thread);
  if (GPM_LIKELY(recording)) return true;
  gpm_set_busy(thread, false);
  return false;
}
/* Marks the calling thread busy and returns it; null when nothing is recorded or it is busy. */
static inline struct gpm_thread *gpm_thread_enter(void) {
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  return thread && !gpm_busy(thread) && gpm_begin(thread) ? thread : NULL;
}
/* Not 0: something wants to know of each event of the thread, so that repeats.c must not record
 * any. No atomic load, which the compiler would not make an operand of another instruction. */
__attribute__((no_sanitize("thread"))) static inline unsigned
gpm_thread_watched(const struct gpm_thread *thread) {
  return thread->delegating | *(const unsigned *)&gpm_observers;
}
__attribute__((no_sanitize("thread"))) static inline bool gpm_thread_is_recording(void) {
  return *(const int *)&gpm_own.state == GPM_RECORDING;
}
/* Marks the calling thread busy and returns it, if an event may take the short way; null: the
 * general way is needed. The barrier of seal.c stands for one between the store to `busy` and the
 * load of the state. */
static inline struct gpm_thread *gpm_thread_enter_quickly(void) {
  struct gpm_thread *thread = gpm_thread_or_none;
  if (GPM_UNLIKELY(gpm_busy(thread) + gpm_thread_watched(thread))) return NULL; /* one branch */
  gpm_set_busy(thread, true);
  gpm_keep_order();
  if (GPM_LIKELY(gpm_thread_is_recording())) return thread;
  gpm_set_busy(thread, false);
  return NULL;
}
/* None of its next launches repeats one. */
void gpm_thread_forget_launches(struct gpm_thread *thread);
/* Whether events are recorded and the calling thread has a record and is not busy. */
bool gpm_thread_is_outside(void);
/* Counts in the capture. Code that may run outside an event counts by this, because seal.c waits
 * only for threads that are busy. */
void gpm_thread_count(struct gpm_thread *thread, enum gpumemprof_counter counter);
/* Marks the thread not busy, and notifies the program of what happened meanwhile. */
static inline void gpm_end(struct gpm_thread *thread) {
  gpm_set_busy(thread, false);
  if (GPM_UNLIKELY(thread->notices.count)) gpm_observers_deliver(thread);
}
/* Makes this the record of the calling thread, whose shadow stack continues at left_top. Null: the
 * thread has no record for now. */
void gpm_thread_switch(struct gpm_thread *thread);
/* Ends the scopes of the record. Another thread may use the record afterwards. */
void gpm_thread_release(struct gpm_thread *thread);
struct gpm_thread *gpm_thread_of_frame(const struct gpumemprof_frame *frame); /* or null */
struct gpm_thread *gpm_thread_newest(void); /* the newest record; ->next leads to all others */
void gpm_threads_start(void);               /* once per program */
void gpm_threads_end(void); /* the runtime may be unmapped with the object it was linked into */
/* Called in a forked child. inside: a signal handler that had interrupted the runtime forked; the
 * interrupted code still needs its record, and the child records nothing. */
void gpm_threads_forked(bool inside);
/* The newest frame, live or not; an empty one when there is none. */
static inline struct gpumemprof_frame *gpm_thread_top(void) {
  return __gpumemprof_stack.top - 1;
}
/* An address below every live frame of the program. */
static GPM_INLINE uintptr_t gpm_thread_machine_stack(void) {
#if defined(__x86_64__)
  uintptr_t sp;
  __asm__("mov %%rsp, %0" : "=r"(sp)); /* unlike a frame address, costs the caller no register */
  return sp;
#elif defined(__aarch64__)
  uintptr_t sp;
  __asm__("mov %0, sp" : "=r"(sp));
  return sp;
#else
  return (uintptr_t)__builtin_frame_address(0);
#endif
}

/* What nvtx_emit.c writes for another tool (nvtx_emit=). */
enum gpm_nvtx_emitted { GPM_NVTX_SCOPES = 1u, GPM_NVTX_BYTES = 2u };
extern _Atomic unsigned gpm_nvtx_emitted; /* enum gpm_nvtx_emitted; set once, 0 after a fork */
static inline bool gpm_nvtx_emits(enum gpm_nvtx_emitted what) {
  return atomic_load_explicit(&gpm_nvtx_emitted, memory_order_relaxed) & what;
}

#endif /* GPM_THREADS_H */
