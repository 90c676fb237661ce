/* measures.h - scopes that report their figures to the program, and snapshots: see measures.c and
 * snapshot.c.
 *
 * ledger.c, contexts.c and shadow_stack.c report what happens to a thread that has measured scopes;
 * other threads pay nothing.
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
  int uncaught;                     /* how many exceptions were under way at its beginning */
  struct gpm_thread *thread;        /* null after its end */
  struct gpumemprof_frame *frame;   /* while open */
  struct gpm_measure *outer;        /* list of the thread's open ones, or of free ones */
  struct gpm_measure *next, **link; /* list of all open ones */
  uint64_t ticks;
  struct gpm_meter begun; /* the thread's meter at its beginning */
  /* What threads that work for it moved; under contexts_lock while shared. */
  struct gpm_meter others;
  struct gpumemprof_result result;
};

/* ---- measure_slots.c ----------------------------------------------------------------------------
 */
extern struct gpm_lock gpm_measures_lock;     /* protects the open ones and their peaks */
extern struct gpm_measure *gpm_measures_open; /* list of open ones, under the lock */
extern _Atomic uint32_t gpm_measures_open_count;
struct gpm_measure *gpm_measures_take(void); /* null: no room */
void gpm_measures_give(struct gpm_measure *m);
/* Keeps the result until it is claimed, or until many others wait. The caller holds the lock. */
void gpm_measures_wait(struct gpm_measure *m);
/* Returns the scope of a handle, or null. If it has ended, the caller owns it from now on, and its
 * handle becomes 0. */
struct gpm_measure *gpm_measures_claim(uint64_t handle);
void gpm_measures_forked(void);

/* ---- snapshot.c ---------------------------------------------------------------------------------
 */
/* Returns the CUDA ordinal for a device number of the program; negative: none is known. The calling
 * thread must not be busy. */
int gpm_snapshot_ordinal(int device);
void gpm_snapshot_fill(struct gpumemprof_snapshot *s, struct gpm_thread *thread, int ordinal,
                       unsigned asked);
/* Fills in a device's own figures. The caller holds its lock. */
void gpm_snapshot_totals(struct gpumemprof_snapshot *s, const struct gpm_device *device);

#endif /* GPM_MEASURES_H */
