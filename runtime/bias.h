/* bias.h - while one thread alone makes events, it needs no lock.
 *
 * ledger.c and devices.c enter a section before they touch a device's ledger. The first thread that
 * does so has the bias: it says "inside" by a plain store. A second thread ends the bias: it makes
 * that store visible with membarrier(2), waits until the owner is outside, and from then on
 * everybody locks. An uncontended lock costs 5 to 7 ns, twice per allocation and free; this costs
 * nothing.
 *
 * Method: asymmetric biased locking, Dice, Moir and Scherer, "Quickly reacquirable locks" (2003).
 */
#ifndef GPM_BIAS_H
#define GPM_BIAS_H

#include "runtime.h"

struct gpm_bias {
  struct gpm_thread *_Atomic owner; /* null: nobody has it */
  _Atomic bool inside;              /* written by the owner only */
};
extern struct gpm_bias gpm_bias;

/* Settles who has the bias if `self` comes for the first time, then takes the lock unless it is
 * `self`. Returns whether it is. */
bool gpm_section_enter_slow(struct gpm_thread *self, struct gpm_lock *lock);

/* Enters a section that `lock` protects; the result goes to gpm_section_leave. Sections never nest.
 */
static inline bool gpm_section_enter(struct gpm_thread *self, struct gpm_lock *lock) {
  if (GPM_LIKELY(atomic_load_explicit(&gpm_bias.owner, memory_order_relaxed) == self)) {
    atomic_store_explicit(&gpm_bias.inside, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* the membarrier of bias.c does the rest */
    if (GPM_LIKELY(atomic_load_explicit(&gpm_bias.owner, memory_order_relaxed) == self))
      return true;
    atomic_store_explicit(&gpm_bias.inside, false, memory_order_release);
  }
  return gpm_section_enter_slow(self, lock);
}

static inline void gpm_section_leave(bool biased, struct gpm_lock *lock) {
  if (GPM_LIKELY(biased)) atomic_store_explicit(&gpm_bias.inside, false, memory_order_release);
  else gpm_lock_release(lock);
}

#endif /* GPM_BIAS_H */
