/* seal.c - the checksums by which a reader knows that a capture is what its program wrote.
 *
 * capture.c seals the capture when the program has ended. Code that makes an event after that (a
 * destructor of another library, a thread that was not joined) gets here through gpm_recording(),
 * and the checksums are removed before its event is written: a capture that was written to has no
 * checksums rather than wrong ones. This costs no event anything, because a state below
 * GPM_RECORDING is checked anyway.
 *
 * Sealing excludes events without a lock. The sealing thread makes the state visible with
 * membarrier(2) and then waits until no other thread is inside the runtime. A thread marks itself
 * busy before it reads the state for the last time, so either the sealing thread sees it busy, or
 * it sees the new state. Such a thread does not wait for the checksums: it breaks the seal, and
 * they are not published. In the state SEALING, which lasts for a few stores, others wait.
 *
 *   gpm_seal:        RECORDING -> SEALED -> SEALING (checksums are written) -> SEALED
 *   gpm_seal_break:  SEALED -> SEALING (checksums are removed) -> RECORDING
 */
#include "life/seal.h"
#include "base/barrier.h"
#include "base/signals.h"
#include "base/state.h"
#include "base/system_calls.h"
#include "base/ticks.h"
#include "capture/capture.h"
#include "threads/threads.h"
#include "timed/helper.h"

#include "gpumemprof/capture_checksum.h"

#define SEAL_WAIT_NS 50000000u /* at most, until others have left the runtime */

static bool change_state(int from, int to) {
  return atomic_compare_exchange_strong(&gpm_own.state, &from, to);
}

static void write_checksums(uint64_t figures, uint64_t events) {
  __atomic_store_n(&gpm_capture->events_checksum, events, __ATOMIC_RELAXED);
  __atomic_store_n(&gpm_capture->figures_checksum, figures, __ATOMIC_RELEASE);
}

void gpm_seal_break(void) {
  while (atomic_load(&gpm_own.state) == GPM_SEALED || atomic_load(&gpm_own.state) == GPM_SEALING) {
    if (change_state(GPM_SEALED, GPM_SEALING)) {
      write_checksums(0, 0);
      atomic_store(&gpm_own.state, GPM_RECORDING);
    } else gpm_yield();
  }
}

/* Whether no other thread ever had an event or opened a scope. */
static bool is_only_one(const struct gpm_thread *self) {
  const struct gpm_thread *made = gpm_thread_newest();
  return !made || (made == self && !made->next);
}

/* The wait is limited, because a thread that left the runtime by a longjmp stays busy for ever. */
static bool others_leave(const struct gpm_thread *self) {
  uint64_t until = gpm_ticks_monotonic_ns() + SEAL_WAIT_NS;
  for (const struct gpm_thread *t = gpm_thread_newest(); t; t = t->next)
    while (t != self && gpm_busy(t)) {
      if (gpm_ticks_monotonic_ns() > until) return false;
      gpm_yield();
    }
  return true;
}

/* A thread that writes during this has broken the seal, and then the sums are not published. */
__attribute__((no_sanitize("thread"))) static void add_up(uint64_t *figures, uint64_t *events) {
  uint64_t summed = 0, at = gpm_capture->header_size, here = at, end = gpm_capture_used();
  *figures = gpumemprof_checksum_header(gpm_capture);
  *events = 0;
  for (const struct gpumemprof_chunk *c; (c = gpm_capture_next(&at, end)); here = at) {
    bool is_events = c->type == GPUMEMPROF_CHUNK_EVENTS;
    if (is_events && (summed += c->used) > GPUMEMPROF_CAPTURE_EVENTS_SUMMED) continue;
    *(is_events ? events : figures) += gpumemprof_checksum_chunk(c, here);
  }
  *figures = gpumemprof_checksum_written(*figures);
  *events = summed > GPUMEMPROF_CAPTURE_EVENTS_SUMMED ? 0 : gpumemprof_checksum_written(*events);
}

void gpm_seal(void) {
  const struct gpm_thread *self = gpm_thread_current;
  sigset_t held;
  if (self && gpm_busy(self)) return;
  gpm_signals_hold(&held);
  if (change_state(GPM_RECORDING, GPM_SEALED)) {
    uint64_t figures, events;
    bool barred = is_only_one(self) || gpm_barrier();
    if (!barred || !others_leave(self) || gpm_helper_runs()) gpm_seal_break();
    else {
      add_up(&figures, &events);
      if (change_state(GPM_SEALED, GPM_SEALING)) {
        write_checksums(figures, events);
        atomic_store(&gpm_own.state, GPM_SEALED);
      }
    }
  }
  gpm_signals_let_come(&held);
}
