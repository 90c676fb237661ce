/* bias.h - while one thread alone makes events, it needs no lock.
 *
 * cuda_hooks.c and shadow_stack.c enter the runtime through gpm_bias_enter; ledger.c and devices.c
 * enter sections. The first thread with an event has the bias: being busy is its lock. A second
 * thread ends the bias: it makes the owner's plain store to `busy` visible with membarrier(2),
 * waits until the owner is not busy alone, and from then on everybody locks. An uncontended lock
 * costs 5 to 7 ns, twice per allocation and free; this costs nothing.
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
  GPM_OBSERVING_PAUSED = 4u  /* pause.c: nobody observes, but events have no lines */
};
extern _Atomic unsigned gpm_observers; /* enum gpm_observing */
static inline bool gpm_observed(enum gpm_observing what) {
  return GPM_UNLIKELY(atomic_load_explicit(&gpm_observers, memory_order_relaxed) & what);
}

/* Asks the kernel for the barrier. Early: once a process has other threads, that takes
 * milliseconds. */
void gpm_bias_start(void);
/* Settles who has the bias if `self` comes for the first time. */
void gpm_bias_settle(struct gpm_thread *self);
/* Nobody has it from now on. `self` must not be busy: another thread may be waiting for that. */
void gpm_bias_end(struct gpm_thread *self);
/* The same for the calling thread. False when nothing is recorded, or it is busy. */
bool gpm_bias_forbid(void);
/* Recording stops: the owner finds out at its next event. */
void gpm_bias_stop(void);
/* Every running thread passes a full barrier. False: the kernel cannot. */
bool gpm_bias_barrier(void);
void gpm_bias_forked(struct gpm_thread *self);
/* For GPM_ASSERT: whether the calling thread may touch what the lock protects. */
bool gpm_section_is_mine(const struct gpm_lock *lock);
const struct gpm_thread *gpm_bias_given_to(void);

/* Also false for no thread, and for any in a child that has no capture yet. */
static inline bool gpm_bias_is(struct gpm_thread *self) {
  return atomic_load_explicit(&gpm_own.bias, memory_order_relaxed) == &self->settled;
}

/* Marks the owner of the bias busy and returns true; else changes nothing. Only while recording
 * does anybody have it. `self` may be null. */
static inline bool gpm_bias_enter(struct gpm_thread *self) {
  if (GPM_UNLIKELY(!gpm_bias_is(self)) || GPM_UNLIKELY(gpm_busy(self))) return false;
  GPM_TEST_YIELD();
  atomic_store_explicit(&self->busy, GPM_BUSY_ALONE, memory_order_release);
  atomic_signal_fence(memory_order_seq_cst); /* the membarrier of bias.c does the rest */
  if (GPM_LIKELY(gpm_bias_is(self))) return true;
  gpm_set_busy(self, false);
  return false;
}

/* Enters what `lock` protects; `alone`: inside a gpm_bias_enter of self's that returned true. */
static inline void gpm_section_enter(struct gpm_thread *self, bool alone, struct gpm_lock *lock) {
  GPM_ASSERT(!alone || gpm_busy(self));
  gpm_lock_check_order(lock); /* also where the bias stands for it */
  if (GPM_LIKELY(alone)) return;
  if (GPM_UNLIKELY(!self->settled)) gpm_bias_settle(self);
  gpm_lock_take(lock);
}

static inline void gpm_section_leave(bool alone, struct gpm_lock *lock) {
  if (GPM_UNLIKELY(!alone)) gpm_lock_release(lock);
}

#endif /* GPM_BIAS_H */
