/* barrier.c - membarrier(2), which seal.c uses: an event then needs no barrier of its own between
 * its store to `busy` and its load of the state.
 */
#include "base/barrier.h"
#include "base/system_calls.h"

#include <errno.h>
#include <linux/membarrier.h>

static bool barrier(int command) {
  int saved = errno;
  bool done = !gpm_syscall(SYS_membarrier, command, 0, 0);
  errno = saved;
  return done;
}

void gpm_barrier_start(void) {
  barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

bool gpm_barrier(void) {
  return barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) || barrier(MEMBARRIER_CMD_GLOBAL);
}
