/* lock.c - waiting for a lock, and for a thread to leave the runtime (bias.c).
 *
 * What is waited for takes less than a microsecond, also when its thread is off its core now and
 * then. A thread that does not come in seconds has left by a longjmp out of a signal handler that
 * interrupted the runtime: then exactness is lost, recording stops with a sentence, and the lock is
 * taken over, since no thread of the program may hang for it. Only time that the waiting thread saw
 * pass counts, so that a debugger may stop the process for as long as it likes, and only while the
 * same thread had the lock: among many threads on few cores one may wait that long in turns. Who
 * waits marks the lock, and whoever takes it next removes the mark.
 */
#include "runtime.h"

#include <sched.h>

#define PATIENCE_NS 5000000000u
#define SEEN_NS 10000000u /* at most, between two looks */

bool gpm_lock_lost_patience(struct gpm_patience *patience) {
  uint64_t now = gpm_ticks_monotonic_ns();
  uint64_t passed = patience->latest_ns ? now - patience->latest_ns : 0;
  patience->latest_ns = now;
  patience->waited_ns += passed < SEEN_NS ? passed : SEEN_NS;
  if (patience->waited_ns < PATIENCE_NS) return false;
  gpm_process_stop("a thread did not come back out of the profiler");
  return true;
}

void gpm_lock_wait(struct gpm_lock *lock) {
  struct gpm_patience patience = {0};
  unsigned takeovers = atomic_load(&lock->takeovers), spins = 0;
  do {
    do {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      if (++spins <= 200) continue;
      sched_yield();
      if (atomic_load_explicit(&lock->held, memory_order_relaxed) != GPM_LOCK_DOUBTED) {
        /* Another holder than at the last look; or none, and we hold it now. */
        if (!atomic_exchange_explicit(&lock->held, GPM_LOCK_DOUBTED, memory_order_acquire)) return;
        patience = (struct gpm_patience){0};
      }
      if (!gpm_lock_lost_patience(&patience)) continue;
      /* The holder does not release it: one of those who wait holds it now. */
      if (atomic_compare_exchange_strong(&lock->takeovers, &takeovers, takeovers + 1)) return;
      patience = (struct gpm_patience){0};
    } while (atomic_load_explicit(&lock->held, memory_order_relaxed));
  } while (atomic_exchange_explicit(&lock->held, GPM_LOCK_HELD, memory_order_acquire));
}
