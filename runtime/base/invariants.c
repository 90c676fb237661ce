/* invariants.c - how a test build ends when an invariant is broken, and the order of locks.
 *
 * Each thread keeps a list of the locks it holds. Taking a lock whose rank (lock_ranks.def) is not
 * higher than that of every lock on the list could be one half of a deadlock, so it is an assertion
 * failure even if no other thread takes part. Shipped builds have none of this code.
 */
#include "base/invariants.h"
#include "base/lock.h"
#include "base/text.h"

#ifdef GPM_CHECKED
#include <stdlib.h>

#define HELD_MOST 16u

void (*gpm_test_yield)(void);

static const char *const rank_names[] = {
    "unranked",
#define GPM_RANK(name) #name,
#include "base/lock_ranks.def"
};
/* A signal handler may run between any two of these stores, takes locks of its own, and leaves null
 * where they were. */
static _Thread_local const struct gpm_lock *volatile held_locks[HELD_MOST];
static _Thread_local volatile unsigned held_count;
static _Atomic bool given_up;

void gpm_invariant_broken(const char *file, unsigned line, const char *condition) {
  if (atomic_load(&given_up)) return;
  char number[24] = "";
  gpm_text_add_number(number, sizeof number, 0, line);
  gpm_text_say(file, ":", number, ": an invariant is broken: ", condition, NULL);
  abort();
}

void gpm_lock_check_order(const struct gpm_lock *lock) {
  for (unsigned i = 0; i < held_count; i++)
    if (lock->rank && !atomic_load(&given_up) && held_locks[i] &&
        held_locks[i]->rank >= lock->rank) {
      gpm_text_say("the lock '", rank_names[lock->rank], "' is taken by a thread that holds '",
                   rank_names[held_locks[i]->rank], "', which comes after it in lock_ranks.def",
                   NULL);
      abort();
    }
}

void gpm_lock_note_taken(const struct gpm_lock *lock) {
  GPM_ASSERT(held_count < HELD_MOST);
  unsigned i = held_count;
  held_locks[i] = lock;
  held_count = i + 1;
  held_locks[i] = lock; /* if a handler had used it meanwhile */
}

void gpm_lock_note_released(const struct gpm_lock *lock) {
  unsigned count = held_count,
           last = count - 1; /* a handler may fork, and the child forgets them */
  for (unsigned i = count; i--;)
    if (held_locks[i] == lock) {
      held_locks[i] = held_locks[last];
      held_count = last;
      held_locks[last] = NULL;
      return;
    }
}

bool gpm_lock_is_mine(const struct gpm_lock *lock) {
  for (unsigned i = 0; i < held_count; i++)
    if (held_locks[i] == lock) return true;
  return false;
}

void gpm_lock_forget_held(bool half_done) {
  held_count = 0;
  if (half_done) atomic_store(&given_up, true);
}
#endif
