/* state.h - whether this process records. process.c changes the state, and seal.c at the end; every
 * event reads it. In a state below RECORDING it calls gpm_process_start (taps.h), which starts
 * recording or finds that it is off.
 */
#ifndef GPM_STATE_H
#define GPM_STATE_H

#include "base/taps.h"

#include <stdatomic.h>
#include <stdbool.h>

/* From SEALING to SEALED: seal.c. */
enum gpm_state { GPM_UNSTARTED, GPM_STARTING, GPM_SEALING, GPM_SEALED, GPM_RECORDING, GPM_OFF };
/* A page that the kernel clears in a child: fork() runs handlers there, _Fork() and clone(2) run
 * none. A child that finds it cleared starts a capture of its own before it writes to the parent's
 * capture. */
#if defined(__aarch64__)
#define GPM_OWN_BYTES 65536 /* pages have 4, 16 or 64 KiB */
#else
#define GPM_OWN_BYTES 4096
#endif
struct gpm_own {
  _Atomic int state; /* enum gpm_state */
  /* Another number whenever what threads remember of launches is no longer right: launches.c
   * compares both words at once. */
  _Atomic unsigned generation;
  char rest[GPM_OWN_BYTES - 2 * sizeof(int)];
};
_Static_assert(sizeof(struct gpm_own) == GPM_OWN_BYTES, "whole pages, and nothing else in them");
extern struct gpm_own gpm_own;
void gpm_own_next_generation(void);
/* The program returned from main or called exit, with a device seen. */
extern _Atomic bool gpm_exiting;

static inline bool gpm_recording(void) {
  int state = atomic_load_explicit(&gpm_own.state, memory_order_acquire);
  if (GPM_UNLIKELY(state < GPM_RECORDING)) {
    gpm_process_start();
    state = atomic_load_explicit(&gpm_own.state, memory_order_acquire);
  }
  return state == GPM_RECORDING;
}

#endif /* GPM_STATE_H */
