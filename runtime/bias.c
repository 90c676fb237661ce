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

static struct gpm_thread nobody;
struct gpm_thread *_Atomic gpm_bias_owner = &nobody;
static bool possible;               /* the kernel can take the bias away again */
static struct gpm_lock bias_lock;   /* protects what follows */
static struct gpm_thread *given_to; /* the first to come, owner or not */

static bool barrier(int command) {
  int saved = errno;
  bool done = !syscall(SYS_membarrier, command, 0, 0);
  errno = saved;
  return done;
}

void gpm_bias_start(void) {
  possible = barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

GPM_COLD void gpm_bias_settle(struct gpm_thread *self) {
  gpm_lock_take(&bias_lock);
  if (!given_to) {
    given_to = self;
    if (possible) atomic_store(&gpm_bias_owner, self);
  } else if (given_to != self) {
    atomic_store(&gpm_bias_owner, &nobody);
    if (!barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) barrier(MEMBARRIER_CMD_GLOBAL);
    while (gpm_busy(given_to)) sched_yield();
  }
  self->settled = true;
  gpm_lock_release(&bias_lock);
}

void gpm_bias_stop(void) {
  atomic_store(&gpm_bias_owner, &nobody);
}

void gpm_bias_forked(struct gpm_thread *self) {
  atomic_store(&bias_lock.held, 0);
  atomic_store(&gpm_bias_owner, &nobody);
  given_to = NULL;
  if (self) self->settled = false;
}
