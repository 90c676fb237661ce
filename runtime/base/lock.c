/* lock.c - waiting for a lock.
 *
 * The work that is waited for takes less than a microsecond, although its thread may be descheduled
 * from time to time. A thread that does not return for seconds has left by a longjmp out of a
 * signal handler that interrupted the runtime. The figures are not exact any more then, so
 * recording stops with a message, and the lock is taken over, because no thread of the program may
 * hang for it. Only time that the waiting thread saw pass counts, so that a debugger may stop the
 * process for any length of time; and only time in which the same thread held the lock counts,
 * because among many threads on few cores a thread may wait that long for its turn. A waiting
 * thread marks the lock, and the next thread that takes it removes the mark. No two marks are
 * equal, so a waiting thread also notices a new holder when another waiter has marked the lock
 * since.
 */
#include "base/lock.h"
#include "base/system_calls.h"
#include "base/taps.h"
#include "base/ticks.h"

#include <limits.h>

#define PATIENCE_NS 5000000000u
#ifdef GPM_CHECKED
uint64_t gpm_lock_patience_ns = PATIENCE_NS;
#else
#define gpm_lock_patience_ns PATIENCE_NS
#endif
#define LONGEST_DELAY 64u /* of pauses: the holder may then take the lock some times in a row */
#define SEEN_NS 10000000u /* counted at most between two checks */

bool gpm_lock_lost_patience(struct gpm_patience *patience) {
  uint64_t now = gpm_ticks_monotonic_ns();
  uint64_t passed = patience->latest_ns ? now - patience->latest_ns : 0;
  patience->latest_ns = now;
  patience->waited_ns += passed < SEEN_NS ? passed : SEEN_NS;
  if (patience->waited_ns < gpm_lock_patience_ns) return false;
  gpm_process_stop("a thread did not come back out of the profiler");
  return true;
}

int gpm_lock_doubt(struct gpm_lock *lock) {
  static _Atomic unsigned marks;
  int now = atomic_load_explicit(&lock->held, memory_order_relaxed);
  if (now != GPM_LOCK_HELD) return now;
  int mark = (int)(GPM_LOCK_DOUBTED + atomic_fetch_add(&marks, 1) % (INT_MAX - GPM_LOCK_DOUBTED));
  return atomic_compare_exchange_strong(&lock->held, &now, mark) ? mark : now;
}

static inline void pause_for(unsigned delay) {
  for (unsigned i = 0; i < delay; i++)
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb"); /* `yield` takes no time on most processors */
#else
    __asm__ volatile("");
#endif
}

GPM_KEEPS_REGISTERS void gpm_lock_wait(struct gpm_lock *lock) {
  struct gpm_patience patience = {0};
  unsigned takeovers = atomic_load(&lock->takeovers), spins = 0, delay = 1;
  int holder = GPM_LOCK_FREE;
  do {
    do {
      spins += delay;
      pause_for(delay);
      if (delay < LONGEST_DELAY) delay *= 2;
      if (spins <= 200) continue;
      gpm_yield();
      int now = gpm_lock_doubt(lock);
      if (now != holder) patience = (struct gpm_patience){0};
      holder = now;
      if (!gpm_lock_lost_patience(&patience)) continue;
      /* The holder will not release the lock, so one of the waiting threads becomes its holder. */
      if (atomic_compare_exchange_strong(&lock->takeovers, &takeovers, takeovers + 1)) return;
      patience = (struct gpm_patience){0};
    } while (atomic_load_explicit(&lock->held, memory_order_relaxed));
  } while (atomic_exchange_explicit(&lock->held, GPM_LOCK_HELD, memory_order_acquire));
}
