/* observers.h - the callbacks that the program registered (control.h): see observers.c.
 *
 * While there are observers (gpm_observed), ledger.c, stream_pools.c and cuda_hooks.c report what
 * happens, and callbacks.c and thresholds.c add a notice of it. A thread that ends an event leaves
 * the runtime through gpm_end, which calls the program for each notice. repeats.c records no event
 * while there are observers.
 */
#ifndef GPM_OBSERVERS_H
#define GPM_OBSERVERS_H

#include "base/program_calls.h"
#include "threads/observing.h"
#include "threads/threads.h"

struct gpm_texts { /* texts of a location; valid for ever, "" where unknown */
  const char *file, *function;
  uint32_t line;
};
/* The calling thread must not be busy. */
struct gpm_texts gpm_observers_location(struct gpm_thread *thread, uint32_t site);
void gpm_observers_forked(void);

/* ---- observers ---------------------------------------------------------------------------------
 */
#define GPM_OBSERVERS_MOST 16 /* sets of hooks, and as many thresholds */
struct gpm_observer {
  _Atomic int handle; /* 0: the slot is free when `inside` is 0, too */
  _Atomic int inside; /* threads that may read what follows, or run its functions */
  int uses;           /* how often the slot was assigned */
  struct gpumemprof_hooks hooks;
  struct gpumemprof_threshold threshold;
  void *data; /* passed to the hooks */
};
/* what: HOOKS or THRESHOLDS. Returns a handle, or 0 when all slots are taken. Copies all members
 * but the first three. */
int gpm_observers_add(enum gpm_observing what, const struct gpm_observer *content);
int gpm_observers_remove(enum gpm_observing what, int handle); /* 0, or an error for the program */
struct gpm_observer *gpm_observers_at(enum gpm_observing what, unsigned slot);
/* Whether the slot has an observer, which then stays until gpm_observers_exit. */
static inline bool gpm_observers_enter(struct gpm_observer *o) {
  if (!atomic_load(&o->handle)) return false;
  atomic_fetch_add(&o->inside, 1);
  if (atomic_load(&o->handle)) return true;
  atomic_fetch_sub(&o->inside, 1);
  return false;
}
static inline void gpm_observers_exit(struct gpm_observer *o) {
  atomic_fetch_sub(&o->inside, 1);
}

/* ---- notices -----------------------------------------------------------------------------------
 */
struct gpm_notice {
  uint32_t cycle; /* schedule.c: the cycle that ended; 0: the notice is of something else */
  uint32_t site;  /* where it happened; GPUMEMPROF_NONE: not known */
  unsigned slot;  /* of a crossing: the slot of the threshold */
  int handle;     /* of a crossing: its handle; 0: an event or a step */
  bool grew;      /* growth.c: the notice is of a step that left more */
  union {         /* texts are filled in on delivery */
    struct gpumemprof_event event;
    struct gpumemprof_crossing crossing;
    struct gpumemprof_growth growth;
  };
};
/* Returns a new notice, or null when none can be delivered. */
struct gpm_notice *gpm_observers_notice(struct gpm_thread *thread, uint32_t site);

#endif /* GPM_OBSERVERS_H */
