/* threads.c - one record per thread: made at the thread's first use, reused after its end.
 *
 * shadow_stack.c and cuda_hooks.c ask for the calling thread's record; process.c clears what a
 * forked child must not share with its parent. At a thread's end its open scopes end too.
 */
#include "bias.h"
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

_Thread_local struct gpm_thread *gpm_thread_current GPM_IE_TLS;

static struct gpm_lock threads_lock; /* protects the two below */
static struct gpm_thread *free_threads;
static uint32_t next_number;
static pthread_key_t exit_key;

static size_t stack_bytes(void) {
  return (gpm_options.stack + 2) * sizeof(struct gpumemprof_frame); /* bottom, stack, sink */
}

static void thread_exit(void *data) {
  struct gpm_thread *thread = data;
  int saved = errno;
  sigset_t held;
  gpm_signals_hold(&held);
  gpm_thread_end_scopes(thread);
  gpm_memory_unmap(thread->frames - 1, stack_bytes());
  thread->frames = thread->limit = NULL;
  __gpumemprof_stack.top = __gpumemprof_stack.limit = NULL; /* later destructors start anew */
  gpm_thread_current = NULL;
  gpm_set_busy(thread, false); /* it may have been cancelled inside the runtime */
  gpm_lock_take(&threads_lock);
  thread->next_free = free_threads;
  free_threads = thread;
  gpm_lock_release(&threads_lock);
  gpm_signals_let_come(&held);
  errno = saved;
}

void gpm_threads_start(void) {
  pthread_key_create(&exit_key, thread_exit);
}

void gpm_threads_end(void) {
  pthread_key_delete(exit_key);
}

static struct gpm_thread *make_thread(void) {
  gpm_lock_take(&threads_lock);
  struct gpm_thread *thread = free_threads;
  if (thread) free_threads = thread->next_free;
  uint32_t number = thread ? thread->number : next_number++;
  gpm_lock_release(&threads_lock);
  if (!thread) {
    size_t segments = gpm_options.stack / GPM_ACTIVATIONS_PER_SEGMENT + 1;
    thread = gpm_memory_get(sizeof *thread);
    if (!thread) return NULL;
    thread->number = number;
    thread->latest = gpm_memory_map((gpm_options.stack + 2) * sizeof *thread->latest);
    thread->segments = gpm_memory_get(segments * sizeof *thread->segments);
    if (!thread->latest || !thread->segments) return NULL;
  }
  struct gpumemprof_frame *bottom = gpm_memory_map(stack_bytes());
  if (!bottom) return NULL;
  thread->frames = bottom + 1;
  thread->limit = thread->frames + gpm_options.stack;
  gpm_set_busy(thread, false);
  thread->temporary_candidate = 0;
  thread->near.start = UINT64_MAX;
  gpm_capture_count(GPUMEMPROF_COUNTER_threads);
  return thread;
}

GPM_COLD struct gpm_thread *gpm_thread_make(void) {
  int saved = errno;
  sigset_t held;
  gpm_signals_hold(&held);
  gpm_process_start();
  struct gpm_thread *thread = gpm_thread_current; /* a handler may have come first */
  if (!thread && (thread = make_thread())) {
    gpm_thread_current = thread;
    __gpumemprof_stack.top = thread->frames;
    __gpumemprof_stack.limit = thread->limit;
    pthread_setspecific(exit_key, thread);
  }
  gpm_signals_let_come(&held);
  errno = saved;
  return thread;
}

void gpm_threads_forked(bool inside) {
  struct gpm_thread *self = gpm_thread_current;
  gpm_bias_forked(self);
  gpm_contexts_forked();
  atomic_store(&threads_lock.held, 0);
  if (inside) return; /* what was interrupted needs its record as it was */
  free_threads = NULL;
  next_number = 0;
  if (!self) return;
  self->number = next_number++;
  while (self->latest->frame) self->latest--;
  self->delegating = 0;
  self->history = (struct gpm_history){0};
  self->contexts = NULL;
  self->segment = NULL;
  self->segment_first = self->segment_end = self->next_record = NULL;
  gpm_set_busy(self, false);
  self->temporary_candidate = 0; /* its tables were the parent's */
  self->near.start = UINT64_MAX;
  memset(self->segments, 0,
         (gpm_options.stack / GPM_ACTIVATIONS_PER_SEGMENT + 1) * sizeof *self->segments);
  for (struct gpumemprof_frame *f = self->frames; f < __gpumemprof_stack.top && f < self->limit;
       f++)
    f->active = f->node = f->cell = NULL;
}
