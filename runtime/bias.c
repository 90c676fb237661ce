/* bias.c - who has the bias of bias.h, and how it ends.
 *
 * It ends for good when a second thread makes an event: programs that allocate from several threads
 * go on doing so. A thread that inherits the record of the owner after its end inherits the bias.
 */
#include "bias.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

struct gpm_bias gpm_bias;
static struct gpm_lock bias_lock; /* protects what follows and who is owner */
static bool given;

static bool barrier(int command) {
  int saved = errno;
  bool done = !syscall(SYS_membarrier, command, 0, 0);
  errno = saved;
  return done;
}

/* The first thread gets the bias, if the kernel can take it away again; the second ends it. */
static void settle(struct gpm_thread *thread) {
  struct gpm_thread *owner = atomic_load(&gpm_bias.owner);
  if (!given) {
    given = true;
    if (barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) atomic_store(&gpm_bias.owner, thread);
  } else if (owner && owner != thread) {
    atomic_store(&gpm_bias.owner, NULL);
    if (!barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) barrier(MEMBARRIER_CMD_GLOBAL);
    while (atomic_load_explicit(&gpm_bias.inside, memory_order_acquire)) sched_yield();
  }
}

GPM_COLD bool gpm_section_enter_slow(struct gpm_thread *self, struct gpm_lock *lock) {
  if (!self->settled) {
    gpm_lock_take(&bias_lock);
    settle(self);
    gpm_lock_release(&bias_lock);
    self->settled = true;
    if (atomic_load(&gpm_bias.owner) == self) return gpm_section_enter(self, lock);
  }
  gpm_lock_take(lock);
  return false;
}

void gpm_bias_forked(struct gpm_thread *self) {
  atomic_store(&bias_lock.held, 0);
  atomic_store(&gpm_bias.inside, false);
  atomic_store(&gpm_bias.owner, NULL);
  given = false;
  if (self) self->settled = false;
}
