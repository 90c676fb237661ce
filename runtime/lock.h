/* lock.h - a spin lock for critical sections of tens of nanoseconds.
 *
 * Used by every file of the runtime that shares data between threads. It needs no libc state, so it
 * can be reset in a forked child, and yields when the holder seems to be off its core.
 */
#ifndef GPM_LOCK_H
#define GPM_LOCK_H

#include <sched.h>
#include <stdatomic.h>

struct gpm_lock {
  _Atomic int held;
};

static inline void gpm_lock_take(struct gpm_lock *lock) {
  unsigned spins = 0;
  while (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire)) {
    do {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      if (++spins > 200) sched_yield();
    } while (atomic_load_explicit(&lock->held, memory_order_relaxed));
  }
}

static inline void gpm_lock_release(struct gpm_lock *lock) {
  atomic_store_explicit(&lock->held, 0, memory_order_release);
}

#endif /* GPM_LOCK_H */
