/* measures.h - scopes that tell the program what they took, and snapshots: see measures.c and
 * snapshot.c.
 *
 * ledger.c, contexts.c and shadow_stack.c bring here what happens to a thread whose scopes are
 * measured; nobody else pays.
 */
#ifndef GPM_MEASURES_H
#define GPM_MEASURES_H

#include "base/lock.h"
#include "base/program_calls.h"
#include "threads/threads.h"

struct gpm_meter {
  struct gpumemprof_amount created[GPUMEMPROF_KIND_COUNT], ended[GPUMEMPROF_KIND_COUNT];
  uint64_t allocated, freed; /* device bytes */
};

struct gpm_measure {
  uint64_t handle; /* 0: free */
  uint32_t slot;
  unsigned asked;
  int ordinal;
  int uncaught;                      /* exceptions under way at begin */
  struct gpm_thread *thread;         /* null once it ended */
  struct gpumemprof_frame *frame;    /* while open */
  struct gpm_measure *outer;         /* of the thread's that are open; or the next free one */
  struct gpm_measure *next, **place; /* of all that are open */
  uint64_t ticks;
  struct gpm_meter begun;  /* the thread's at begin */
  struct gpm_meter others; /* of threads that work for it; under contexts_lock while it is shared */
  struct gpumemprof_result result;
};

/* ---- measure_slots.c ----------------------------------------------------------------------------
 */
extern struct gpm_lock gpm_measures_lock;     /* for the open ones and their peaks */
extern struct gpm_measure *gpm_measures_open; /* those that are, under the lock */
extern _Atomic uint32_t gpm_measures_open_count;
struct gpm_measure *gpm_measures_take(void); /* null: no room */
void gpm_measures_give(struct gpm_measure *m);
/* Its result waits from now on until it is claimed, or many others wait. Under the lock. */
void gpm_measures_wait(struct gpm_measure *m);
/* The scope of a number, or null; one that has ended is the caller's from now on, and its handle
 * is 0. */
struct gpm_measure *gpm_measures_claim(uint64_t handle);
void gpm_measures_forked(void);

/* ---- snapshot.c --------------------------------------------------------------------------------
 * The calling thread, marked busy; null when nothing is recorded or it is busy. */
struct gpm_thread *gpm_snapshot_enter(bool *alone);
/* The CUDA ordinal meant by one of the program's; negative: none is known. By a thread that is not
 * busy.
 */
int gpm_snapshot_ordinal(int device);
void gpm_snapshot_fill(struct gpumemprof_snapshot *s, struct gpm_thread *thread, bool alone,
                       int ordinal, unsigned asked);
/* A device's own figures. Under its lock. */
void gpm_snapshot_totals(struct gpumemprof_snapshot *s, const struct gpm_device *device);

#endif /* GPM_MEASURES_H */
