/* bias.c - which thread has the bias of bias.h, and how the bias ends.
 *
 * It ends for good when a second thread makes an event: programs that allocate from several threads
 * go on doing so. A thread that inherits the record of the owner after its end inherits the bias.
 */
#include "threads/bias.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "base/signals.h"
#include "base/state.h"
#include "base/system_calls.h"
#include "threads/threads.h"

#include <errno.h>
#include <linux/membarrier.h>

_Atomic unsigned gpm_observers;                    /* enum gpm_observing */
static _Atomic bool possible;                      /* the kernel can take the bias away again */
static struct gpm_lock bias_lock = GPM_LOCK(bias); /* protects what follows */
static struct gpm_thread *given_to; /* the first thread with an event, owner or not */

#ifdef GPM_CHECKED
static _Atomic bool bias_is_over; /* the thread that had it has also left the runtime */

/* Not gpm_own.bias: the thread may stay in the runtime for a while after it has lost the bias. */
__attribute__((no_sanitize("thread"))) const struct gpm_thread *gpm_bias_given_to(void) {
  return atomic_load(&bias_is_over) ? NULL : given_to;
}

static void note_over(bool is_over) {
  atomic_store(&bias_is_over, is_over);
}

bool gpm_section_is_mine(const struct gpm_lock *lock) {
  const struct gpm_thread *self = gpm_thread_current;
  return gpm_lock_is_mine(lock) || (self && self == gpm_bias_given_to() && gpm_busy(self));
}
#else
#define note_over(is_over) ((void)0)
#endif

static bool barrier(int command) {
  int saved = errno;
  bool done = !gpm_syscall(SYS_membarrier, command, 0, 0);
  errno = saved;
  return done;
}

void gpm_bias_start(void) {
  bool wanted = !atomic_load(&gpm_observers); /* observers need every thread to take locks */
  possible = wanted && barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

bool gpm_bias_barrier(void) {
  return barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) || barrier(MEMBARRIER_CMD_GLOBAL);
}

/* The owner has lost the bias: this waits for the event that it may be in without locks. It takes
 * locks from its next event on, and may then be busy at any time without harm. */
static void wait_until_not_single(const struct gpm_thread *owner) {
  struct gpm_patience patience = {0};
  while (atomic_load_explicit(&owner->busy, memory_order_acquire) == GPM_BUSY_SINGLE) {
    gpm_yield();
    if (gpm_lock_lost_patience(&patience)) return;
  }
}

static void settle(struct gpm_thread *self) {
  if (!given_to) {
    given_to = self;
    if (possible) atomic_store(&gpm_own.bias, &self->settled);
  } else if (given_to != self) {
    atomic_store(&gpm_own.bias, NULL);
    gpm_bias_barrier();
    wait_until_not_single(given_to);
    note_over(true);
  }
  self->settled = true;
}

GPM_COLD void gpm_bias_settle(struct gpm_thread *self) {
  sigset_t held;
  gpm_signals_hold(&held);
  gpm_lock_take(&bias_lock);
  settle(self);
  gpm_lock_release(&bias_lock);
  gpm_signals_let_come(&held);
}

void gpm_bias_end(struct gpm_thread *self) {
  if (self->settled && !atomic_load(&gpm_own.bias) && !possible) return;
  sigset_t held;
  gpm_signals_hold(&held);
  gpm_lock_take(&bias_lock);
  if (!self->settled) settle(self);
  possible = false;
  atomic_store(&gpm_own.bias, NULL);
  note_over(true);
  gpm_lock_release(&bias_lock);
  gpm_signals_let_come(&held);
}

bool gpm_bias_forbid(void) {
  struct gpm_thread *thread = gpm_recording() ? gpm_thread_self() : NULL;
  if (!thread || gpm_busy(thread)) return false;
  gpm_bias_end(thread);
  return true;
}

void gpm_bias_stop(void) {
  atomic_store(&gpm_own.bias, NULL);
}

void gpm_bias_forked(struct gpm_thread *self) {
  atomic_store(&bias_lock.held, 0);
  atomic_store(&gpm_own.bias, NULL);
  given_to = NULL;
  note_over(false);
  if (self) self->settled = false;
}
