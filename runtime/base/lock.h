/* lock.h - a spin lock for critical sections of tens of nanoseconds.
 *
 * Used by every file of the runtime that shares data between threads. It needs no libc state, so it
 * can be reset in a forked child. A waiting thread (lock.c) yields, and takes the lock from a
 * holder that left the runtime by a longjmp.
 */
#ifndef GPM_LOCK_H
#define GPM_LOCK_H

#include "base/compiler.h"
#include "base/invariants.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum gpm_rank {
  GPM_UNRANKED,
#define GPM_RANK(name) GPM_RANK_##name,
#include "base/lock_ranks.def"
};

/* From DOUBTED on, the lock has been held since a waiting thread marked it. */
enum { GPM_LOCK_FREE, GPM_LOCK_HELD, GPM_LOCK_DOUBTED };

struct gpm_lock {
  _Atomic int held;
  _Atomic unsigned takeovers; /* how often it was taken from a holder that never returned */
#ifdef GPM_CHECKED
  enum gpm_rank rank; /* see lock_ranks.def */
#endif
};

#ifdef GPM_CHECKED
#define GPM_LOCK(name) {.rank = GPM_RANK_##name}
/* Checks the order of a lock that is about to be taken. */
void gpm_lock_check_order(const struct gpm_lock *lock);
void gpm_lock_note_taken(const struct gpm_lock *lock);
void gpm_lock_note_released(const struct gpm_lock *lock);
bool gpm_lock_is_mine(const struct gpm_lock *lock); /* the calling thread holds it */
/* The thread has left the runtime without returning from it, or is a forked child. half_done: it
 * left during an update, so invariants need not hold from then on. */
void gpm_lock_forget_held(bool half_done);
extern uint64_t gpm_lock_patience_ns; /* of a waiting thread; a test makes it shorter */
#else
#define GPM_LOCK(name) {.held = 0 * GPM_RANK_##name}
#define gpm_lock_check_order(lock) ((void)(lock))
#define gpm_lock_note_taken(lock) ((void)(lock))
#define gpm_lock_note_released(lock) ((void)(lock))
bool gpm_lock_is_mine(const struct gpm_lock *lock); /* in GPM_ASSERT only */
#define gpm_lock_forget_held(half_done) ((void)(half_done))
#endif

GPM_COLD GPM_KEEPS_REGISTERS void gpm_lock_wait(struct gpm_lock *lock);
/* A waiting thread calls this from time to time. It marks the lock if that is held without a mark,
 * and returns the value of `held` afterwards, which differs for each new holder that was seen. */
int gpm_lock_doubt(struct gpm_lock *lock);

/* An exchange with a lock that is held would take its cache line away from the holder, so this
 * looks first. */
static inline void gpm_lock_take(struct gpm_lock *lock) {
  gpm_lock_check_order(lock);
  if (__builtin_expect(
          atomic_load_explicit(&lock->held, memory_order_relaxed) ||
              atomic_exchange_explicit(&lock->held, GPM_LOCK_HELD, memory_order_acquire),
          0))
    gpm_lock_wait(lock);
  gpm_lock_note_taken(lock);
}

/* Does not wait. False: another thread has it. The exchange comes first: mostly the lock is free,
 * and then its line moves once. */
static inline bool gpm_lock_take_quickly(struct gpm_lock *lock) {
  gpm_lock_check_order(lock);
  if (__builtin_expect(atomic_exchange_explicit(&lock->held, GPM_LOCK_HELD, memory_order_acquire),
                       0))
    return false;
  gpm_lock_note_taken(lock);
  return true;
}

/* Does not wait, so that locks may be tried in any order. */
static inline bool gpm_lock_try(struct gpm_lock *lock) {
  if (atomic_load_explicit(&lock->held, memory_order_relaxed) ||
      atomic_exchange_explicit(&lock->held, GPM_LOCK_HELD, memory_order_acquire))
    return false;
  gpm_lock_note_taken(lock);
  return true;
}

static inline void gpm_lock_release(struct gpm_lock *lock) {
  gpm_lock_note_released(lock);
  atomic_store_explicit(&lock->held, GPM_LOCK_FREE, memory_order_release);
}

/* How long a thread has waited for another one. gpm_lock_lost_patience returns true, and has
 * stopped recording, once that is too long. */
struct gpm_patience {
  uint64_t latest_ns;
  uint64_t waited_ns;
};
bool gpm_lock_lost_patience(struct gpm_patience *patience); /* after each yield */

#endif /* GPM_LOCK_H */
