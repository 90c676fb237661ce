/* threads.c - one record per thread: made at the thread's first use, reused after its end.
 *
 * shadow_stack.c and cuda_hooks.c ask for the calling thread's record; process.c clears what a
 * forked child must not share with its parent. At a thread's end its open scopes end too.
 */
#include "threads/threads.h"
#include "base/compiler.h"
#include "base/invariants.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/system_calls.h"
#include "base/taps.h"
#include "capture/capture.h"
#include "options/options.h"
#include "threads/observing.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* By how much shadow stacks lie below other mappings. The capture lies lower; AddressSanitizer has
 * memory of its own 4 TiB below. */
#define STACKS_BELOW ((uint64_t)6 << 40)

#define FRAMES_WHEN_OFF 1024
#define NATIVE_FRAMES 1024
#define FRAME_EVEN 32 /* the power of two in a frame's size */
_Static_assert(sizeof(struct gpumemprof_frame) % (2 * FRAME_EVEN) == FRAME_EVEN, "units are pages");

static struct gpm_thread no_record = {.busy = true};
_Thread_local struct gpm_thread *gpm_thread_current GPM_IE_TLS;
_Thread_local struct gpm_thread *gpm_thread_or_none GPM_IE_TLS = &no_record;
_Atomic unsigned gpm_nvtx_emitted, gpm_observers;

static struct gpm_lock threads_lock = GPM_LOCK(threads); /* protects the three variables below */
static struct gpm_thread *free_threads;
static struct gpm_thread *_Atomic all_threads; /* only ever added to */
static uint32_t next_number;
static pthread_key_t exit_key;

/* When nothing is recorded, a full stack costs time but loses no data. */
static size_t stack_frames(void) {
  bool few = !gpm_options.enabled && gpm_options.stack > FRAMES_WHEN_OFF;
  return few ? FRAMES_WHEN_OFF : (size_t)gpm_options.stack;
}

static size_t native_frames; /* room for them; stacks=native may be set later (injection.c) */

/* Each frame may have an activation of its own and one of the line whose call is under way; those
 * of code that was not rebuilt have no activations of lines. */
static size_t most_open(void) {
  return 2 * stack_frames() + native_frames;
}

static size_t segment_count(void) {
  return most_open() / GPM_ACTIVATIONS_PER_SEGMENT + 1;
}

/* Native frames, bottom, stack and sink: a whole number of pages and of frames. */
static size_t stack_bytes(void) {
  size_t unit = gpm_getauxval(AT_PAGESZ) * sizeof(struct gpumemprof_frame) / FRAME_EVEN;
  size_t bytes = (native_frames + stack_frames() + 2) * sizeof(struct gpumemprof_frame);
  return (bytes + unit - 1) / unit * unit;
}

void gpm_thread_switch(struct gpm_thread *thread) {
  sigset_t held;
  gpm_signals_hold(&held);
  if (GPM_UNLIKELY(gpm_nvtx_emits(GPM_NVTX_SCOPES)))
    gpm_nvtx_emit_switched(gpm_thread_current, thread);
  gpm_thread_current = thread;
  gpm_thread_or_none = thread ? thread : &no_record;
  __gpumemprof_stack.top = thread ? thread->left_top : NULL;
  __gpumemprof_stack.limit = thread ? thread->limit : NULL;
  if (thread) thread->attached = true;
  pthread_setspecific(exit_key, thread);
  gpm_signals_let_come(&held);
}

/* The frames stay mapped: a fiber that began on this thread may still write to them elsewhere. */
void gpm_thread_release(struct gpm_thread *thread) {
  thread->leaving = GPM_LEAVING_THREAD_ENDS;
  gpm_thread_end_scopes(thread);
  thread->leaving = GPM_LEAVING_RETURNS;
  gpm_labels_end(thread);
  gpm_set_busy(thread, false); /* it may have been cancelled inside the runtime */
  thread->attached = false;
  thread->left_top = NULL;
  gpm_lock_take(&threads_lock);
  thread->next_free = free_threads;
  free_threads = thread;
  gpm_lock_release(&threads_lock);
}

struct gpm_thread *gpm_thread_of_frame(const struct gpumemprof_frame *frame) {
  struct gpm_thread *t = atomic_load(&all_threads);
  while (t && (frame < t->frames || frame > t->limit)) t = t->next;
  return t;
}

struct gpm_thread *gpm_thread_newest(void) {
  return atomic_load(&all_threads);
}

static void thread_exit(void *data) {
  int saved = errno;
  sigset_t held;
  gpm_signals_hold(&held);
  gpm_thread_release(data);
  gpm_thread_switch(NULL); /* a later destructor makes a new record */
  gpm_signals_let_come(&held);
  errno = saved;
}

void gpm_threads_start(void) {
  bool many = gpm_options.enabled && gpm_options.stacks[0] == 'n';
  native_frames = many || stack_frames() < NATIVE_FRAMES ? stack_frames() : NATIVE_FRAMES;
  pthread_key_create(&exit_key, thread_exit);
}

void gpm_threads_end(void) {
  pthread_key_delete(exit_key);
}

/* Shadow stacks lie side by side, as long as the program maps nothing between them (memory.c). A
 * fiber that moves to another thread by an unnoticed switch takes its frames along: its calls push
 * from there, up to the limit of that thread or not at all, and so write only to frames. Under the
 * lock. */
static struct gpumemprof_frame *stack_room(void) {
  GPM_ASSERT(gpm_lock_is_mine(&threads_lock));
  static char *next; /* the end of the latest stack */
  int saved = errno;
  size_t bytes = stack_bytes();
  char *stack = next && gpm_memory_behind(next, bytes, -1, 0)
                    ? next
                    : gpm_memory_map_below(bytes, STACKS_BELOW, -1);
  if (stack != MAP_FAILED) {
    gpm_madvise(stack, bytes, MADV_NOHUGEPAGE); /* most threads use little of theirs */
    next = stack + bytes;
  } else gpm_process_stop("there is no memory for the profiler's tables");
  errno = saved;
  return stack != MAP_FAILED ? (struct gpumemprof_frame *)(void *)stack : NULL;
}

static struct gpm_thread *make_thread(void) {
  gpm_lock_take(&threads_lock);
  struct gpm_thread *thread = free_threads;
  if (thread) free_threads = thread->next_free;
  uint32_t number = thread ? thread->number : next_number++;
  struct gpumemprof_frame *bottom = thread ? NULL : stack_room();
  gpm_lock_release(&threads_lock);
  if (!thread) {
    size_t launches = gpm_options.uses ? GPM_LAUNCH_PLACES * sizeof thread->launches[0] : 0;
    thread = gpm_memory_get(sizeof *thread + launches);
    if (!thread) return NULL;
    gpm_thread_forget_launches(thread);
    thread->number = number;
    thread->latest = gpm_memory_map((most_open() + 2) * sizeof *thread->latest);
    thread->segments = gpm_memory_get(segment_count() * sizeof *thread->segments);
    if (!thread->latest || !thread->segments || !bottom) return NULL;
    thread->native_frames = bottom;
    thread->native_room = (uint32_t)native_frames;
    thread->frames = bottom + native_frames + 1;
    thread->limit = thread->frames + stack_frames();
    thread->next = atomic_load(&all_threads);
    while (!atomic_compare_exchange_weak(&all_threads, &thread->next, thread)) continue;
  }
  thread->left_top = thread->frames;
  thread->native_count = 0;
  gpm_set_busy(thread, false);
  thread->steps_due = 0;
  thread->temporary_candidate = 0;
  thread->near.start = UINT64_MAX;
  thread->notices.count = 0;
  thread->notices.delivering = false;
  return thread;
}

void gpm_thread_forget_launches(struct gpm_thread *thread) {
  if (!gpm_options.uses) return;
  for (unsigned i = 0; i < GPM_LAUNCH_PLACES; i++) thread->launches[i].own = GPM_NO_LAUNCH;
}

bool gpm_thread_is_outside(void) {
  const struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  return thread && !gpm_busy(thread);
}

void gpm_thread_count(struct gpm_thread *thread, enum gpumemprof_counter counter) {
  bool inside = gpm_busy(thread);
  if (!inside && !gpm_begin(thread)) return;
  gpm_capture_count(counter);
  if (!inside) gpm_set_busy(thread, false);
}

/* RealtimeSanitizer ends a program whose [[clang::nonblocking]] function maps memory. The mappings
 * made here are the runtime's, so they are exempt. */
#pragma weak __rtsan_disable
#pragma weak __rtsan_enable
void __rtsan_disable(void);
void __rtsan_enable(void);

GPM_COLD struct gpm_thread *gpm_thread_make(void) {
  int saved = errno;
  sigset_t held;
  if (__rtsan_disable && __rtsan_enable) __rtsan_disable();
  gpm_signals_hold(&held);
  gpm_process_start();
  struct gpm_thread *thread = gpm_thread_current; /* a signal handler may have made it */
  if (!thread && (thread = make_thread())) {
    gpm_thread_switch(thread);
    gpm_thread_count(thread, GPUMEMPROF_COUNTER_threads);
  }
  gpm_signals_let_come(&held);
  errno = saved;
  gpm_process_thread_made(thread);
  if (__rtsan_disable && __rtsan_enable) __rtsan_enable();
  return thread;
}

/* In a forked child: forgets what belongs to the parent's capture. */
static void forget(struct gpm_thread *thread) {
  thread->number = next_number++;
  for (; thread->latest->frame; thread->latest--) {
    struct gpumemprof_frame *f = thread->latest->frame;
    f->active = f->node = f->cell = NULL;
    f->entry_clock = 0; /* in the child's capture it was open from the beginning */
  }
  for (struct gpm_open *open = thread->latest + 1; open->node; open++) *open = (struct gpm_open){0};
  thread->has_ended = false;
  thread->segment = NULL;
  thread->segment_first = thread->segment_end = thread->next_record = NULL;
  gpm_set_busy(thread, false);
  thread->steps_due = 0;
  thread->temporary_candidate = 0;
  thread->near.start = UINT64_MAX; /* its table was the parent's */
  thread->history = (struct gpm_history){0};
  thread->delegating = thread->measuring = 0;
  thread->contexts = NULL;
  thread->measure = NULL;
  thread->leaving = GPM_LEAVING_RETURNS;
  thread->notices.count = 0;
  thread->notices.process++;
  thread->pending = (struct gpm_pending_free){0};
  thread->releasing = NULL;
  thread->guard = thread->freed_guard = NULL;
  memset(thread->segments, 0, segment_count() * sizeof *thread->segments);
}

void gpm_threads_forked(bool inside) {
  atomic_store(&threads_lock.held, 0);
  if (inside) return; /* the interrupted code still needs its record */
  free_threads = NULL;
  next_number = 0;
  for (struct gpm_thread *t = atomic_load(&all_threads); t; t = t->next) forget(t);
}
