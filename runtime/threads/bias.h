/* bias.h - while only one thread makes events, it needs no lock.
 *
 * cuda_hooks.c and shadow_stack.c enter the runtime through gpm_bias_enter; ledger.c and devices.c
 * enter sections. The first thread with an event has the bias: being busy is its lock. A second
 * thread ends the bias: it makes the owner's plain store to `busy` visible with membarrier(2),
 * waits until the owner is not busy with an event without locks, and from then on every thread
 * takes locks. An uncontended lock costs 5 to 7 ns, twice per allocation and free; this costs
 * nothing.
 *
 * Method: asymmetric biased locking, Dice, Moir and Scherer, "Quickly reacquirable locks" (2003).
 */
#ifndef GPM_BIAS_H
#define GPM_BIAS_H

#include "base/lock.h"
#include "threads/threads.h"

enum gpm_observing {
  GPM_OBSERVING_HOOKS = 1u,
  GPM_OBSERVING_THRESHOLDS = 2u,
  GPM_OBSERVING_EVENTS = 3u, /* either */
  GPM_OBSERVING_PAUSED = 4u  /* pause.c: nothing observes, but events have no lines */
};
extern _Atomic unsigned gpm_observers; /* enum gpm_observing */
static inline bool gpm_observed(enum gpm_observing what) {
  return GPM_UNLIKELY(atomic_load_explicit(&gpm_observers, memory_order_relaxed) & what);
}

/* Registers the process for the barrier of the kernel. This is called early, because it takes
 * milliseconds once a process has other threads. */
void gpm_bias_start(void);
/* Decides which thread has the bias at the first event of `self`. */
void gpm_bias_settle(struct gpm_thread *self);
/* Ends the bias for good. `self` must not be busy, because another thread may be waiting until it
 * is not. */
void gpm_bias_end(struct gpm_thread *self);
/* The same for the calling thread. False: nothing is recorded, or the thread is busy. */
bool gpm_bias_forbid(void);
/* Recording stops: the owner of the bias notices that at its next event. */
void gpm_bias_stop(void);
/* Makes every running thread pass a full barrier. False: the kernel does not support that. */
bool gpm_bias_barrier(void);
void gpm_bias_forked(struct gpm_thread *self);
/* For GPM_ASSERT: whether the calling thread may touch what the lock protects. */
bool gpm_section_is_mine(const struct gpm_lock *lock);
const struct gpm_thread *gpm_bias_given_to(void);

/* Whether `self` has the bias. False for null, and in a child that has no capture yet. */
static inline bool gpm_bias_is(struct gpm_thread *self) {
  return atomic_load_explicit(&gpm_own.bias, memory_order_relaxed) == &self->settled;
}

/* If `self` has the bias, marks it busy and returns true; otherwise changes nothing. A thread has
 * the bias only while events are recorded. `self` may be null. */
static inline bool gpm_bias_enter(struct gpm_thread *self) {
  if (GPM_UNLIKELY(!gpm_bias_is(self)) || GPM_UNLIKELY(gpm_busy(self))) return false;
  GPM_TEST_YIELD();
  atomic_store_explicit(&self->busy, GPM_BUSY_SINGLE, memory_order_release);
  atomic_signal_fence(memory_order_seq_cst); /* the membarrier of bias.c does the rest */
  if (GPM_LIKELY(gpm_bias_is(self))) return true;
  gpm_set_busy(self, false);
  return false;
}

/* Enters the section that `lock` protects. `single`: `self` is inside a gpm_bias_enter that
 * returned true, and needs no lock. */
static inline void gpm_section_enter(struct gpm_thread *self, bool single, struct gpm_lock *lock) {
  GPM_ASSERT(!single || gpm_busy(self));
  gpm_lock_check_order(lock); /* also where the bias replaces the lock */
  if (GPM_LIKELY(single)) return;
  if (GPM_UNLIKELY(!self->settled)) gpm_bias_settle(self);
  gpm_lock_take(lock);
}

static inline void gpm_section_leave(bool single, struct gpm_lock *lock) {
  if (GPM_UNLIKELY(!single)) gpm_lock_release(lock);
}

#endif /* GPM_BIAS_H */
