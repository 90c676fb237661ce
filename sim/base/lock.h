/* lock.h - the one lock, which guards everything, and what belongs to a thread. Functions take the
 * lock themselves, and it is recursive. */
#ifndef GPUMEMPROF_SIM_LOCK_H
#define GPUMEMPROF_SIM_LOCK_H

#define GPM_SIM_MAX_CONTEXTS 32 /* depth of a thread's context stack */

struct gpm_sim_context;
struct gpm_sim_thread {
  struct gpm_sim_context *stack[GPM_SIM_MAX_CONTEXTS];
  int depth;        /* depth of the stack, whose top is the current context */
  int device;       /* the runtime API's device while there is no context */
  int last_error;   /* cudaGetLastError */
  int capture_mode; /* enum cudaStreamCaptureMode */
};
struct gpm_sim_thread *gpm_sim_thread(void);
void gpm_sim_lock(void);
void gpm_sim_unlock(void);
static inline void gpm_sim_unlock_at(int *unused) {
  (void)unused;
  gpm_sim_unlock();
}
/* Takes the lock until the end of the block. */
#define GPM_SIM_LOCKED                                                                             \
  int gpm_sim_locked __attribute__((cleanup(gpm_sim_unlock_at), unused)) = (gpm_sim_lock(), 0)

#endif /* GPUMEMPROF_SIM_LOCK_H */
