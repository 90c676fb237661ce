/* observers.h - what the program asked to be called for (control.h): see observers.c.
 *
 * While somebody observes (gpm_observed), ledger.c, stream_pools.c and cuda_hooks.c report what
 * happens; callbacks.c and thresholds.c add a notice of it; whoever ends an event leaves the
 * runtime through gpm_end, which calls the program for each notice. No thread has the bias (bias.h)
 * while somebody observes, so the path of a thread with the bias does not check.
 */
#ifndef GPM_OBSERVERS_H
#define GPM_OBSERVERS_H

#include "base/program_calls.h"
#include "threads/bias.h"

struct gpm_texts { /* of a place; valid for ever, "" where unknown */
  const char *file, *function;
  uint32_t line;
};
/* By a thread that is not busy. */
struct gpm_texts gpm_observers_place(struct gpm_thread *thread, uint32_t site);
void gpm_observers_forked(void);

/* ---- who asks -----------------------------------------------------------------------------------
 */
#define GPM_OBSERVERS_MOST 16 /* of each sort */
struct gpm_observer {
  _Atomic int handle; /* 0: the place is free once nobody is inside */
  _Atomic int inside; /* threads that may be reading what follows, or in a function of it */
  int uses;           /* how often the place was given out */
  struct gpumemprof_hooks hooks;
  struct gpumemprof_threshold threshold;
  void *data; /* of the hooks */
};
/* what: HOOKS or THRESHOLDS. Its handle; 0: there are as many as can be. Copies all but the first
 * three. The caller has ended the bias. */
int gpm_observers_add(enum gpm_observing what, const struct gpm_observer *content);
int gpm_observers_remove(enum gpm_observing what, int handle); /* 0, or what the program is told */
struct gpm_observer *gpm_observers_at(enum gpm_observing what, unsigned place);
/* Whether there is one; then it stays until gpm_observers_exit. */
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

/* ---- what is to be told -------------------------------------------------------------------------
 */
struct gpm_notice {
  uint32_t cycle; /* schedule.c: that ended; 0: it is none */
  uint32_t site;  /* of the place; GPUMEMPROF_NONE: not known */
  unsigned place; /* crossing: of the threshold */
  int handle;     /* the same; 0: it is an event, or: */
  bool grew;      /* growth.c: a step that left more */
  union {         /* without their texts */
    struct gpumemprof_event event;
    struct gpumemprof_crossing crossing;
    struct gpumemprof_growth growth;
  };
};
/* Null: nobody is to be told. */
struct gpm_notice *gpm_observers_notice(struct gpm_thread *thread, uint32_t site);

/* ---- callbacks.c: the program's hooks -----------------------------------------------------------
 */
struct gpumemprof_event *gpm_callbacks_block(struct gpm_thread *thread, enum gpumemprof_what what,
                                             const struct gpm_cell *cell,
                                             const struct gpm_node *place, uint64_t key,
                                             const struct gpm_block *block, uint64_t clock);
/* By a thread that is not busy: what is not asked for inside the runtime. */
void gpm_callbacks_complete(struct gpumemprof_event *event);
void gpm_callbacks_call(const struct gpm_observer *o, const struct gpumemprof_event *event);

/* ---- thresholds.c: limits of a device's total ---------------------------------------------------
 * After it rose or fell, by a block of `place`; under the device's lock. */
void gpm_thresholds_rose(struct gpm_thread *thread, struct gpm_device *device,
                         const struct gpm_node *place, const struct gpm_block *block,
                         uint64_t clock);

void gpm_alerts_begin(struct gpm_thread *thread); /* once; the thread is not busy */

/* ---- pause.c: events without places -------------------------------------------------------------
 */
void gpm_pause_start(void);
void gpm_pause_forked(void);

#endif /* GPM_OBSERVERS_H */
