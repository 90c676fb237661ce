/* lock.h - a spin lock for critical sections of tens of nanoseconds.
 *
 * Used by every file of the runtime that shares data between threads. It needs no libc state, so it
 * can be reset in a forked child. Waiting (lock.c) yields, and gives up on a holder that was taken
 * out of the runtime by a longjmp.
 */
#ifndef GPM_LOCK_H
#define GPM_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gpm_lock {
  _Atomic int held;
  _Atomic unsigned takeovers; /* from holders that never came back */
};

__attribute__((cold, noinline)) void gpm_lock_wait(struct gpm_lock *lock);

static inline void gpm_lock_take(struct gpm_lock *lock) {
  if (__builtin_expect(atomic_exchange_explicit(&lock->held, 1, memory_order_acquire), 0))
    gpm_lock_wait(lock);
}

static inline bool gpm_lock_try(struct gpm_lock *lock) {
  return !atomic_exchange_explicit(&lock->held, 1, memory_order_acquire);
}

static inline void gpm_lock_release(struct gpm_lock *lock) {
  atomic_store_explicit(&lock->held, 0, memory_order_release);
}

/* How long somebody has been waited for, and whether that is too long: recording stopped then. */
struct gpm_patience {
  uint64_t latest_ns;
  uint64_t waited_ns;
};
bool gpm_lock_lost_patience(struct gpm_patience *patience); /* after each yield */

#endif /* GPM_LOCK_H */
