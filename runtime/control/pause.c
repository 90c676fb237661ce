/* pause.c - recording without call paths: while recording is paused, all that is allocated or freed
 * belongs to one line named (paused), below the root and in no scope.
 *
 * Events are still recorded, only their call paths are not. So totals, peaks of devices, live
 * blocks and sums are always exact, and a free finds its block, no matter whether either came
 * during a pause. ledger.c asks gpm_observed whether recording is paused.
 */
#include "control/pause.h"
#include "base/compiler.h"
#include "base/lock.h"
#include "base/program_calls.h"
#include "base/state.h"
#include "base/taps.h"
#include "base/text.h"
#include "core/ledger.h"
#include "options/options.h"
#include "records/call_tree.h"
#include "records/made_sites.h"
#include "threads/observing.h"
#include "threads/threads.h"

#include <errno.h>

static struct gpm_lock pause_lock = GPM_LOCK(pause); /* the flag says whether the count is 0 */
static unsigned pauses;

/* Returns null when there is no room. */
struct gpm_node *gpm_pause_line(void) {
  static const struct gpm_source_location site = {.kind = GPUMEMPROF_SITE_CALL,
                                                  .function = "(paused)"};
  struct gpm_node *node = atomic_load(&gpm_pause_node);
  if (GPM_LIKELY(node != NULL)) return node;
  node = gpm_tree_child(gpm_tree_root(), gpm_sites_make(&site));
  atomic_store(&gpm_pause_node, node); /* if another thread made it, too, it is the same */
  return node;
}

static void pause_once(void) {
  if (!pauses++) atomic_fetch_or(&gpm_observers, GPM_OBSERVING_PAUSED);
}

void gpm_pause_start(void) {
  if (gpm_options.paused) pause_once();
}

void gpm_pause_forked(void) {
  atomic_store(&pause_lock.held, 0);
  atomic_store(&gpm_pause_node, NULL);
}

int __gpumemprof_pause(void) {
  int saved = errno;
  if (!gpm_thread_is_outside()) return GPUMEMPROF_ERROR_OFF;
  gpm_lock_take(&pause_lock);
  pause_once();
  gpm_lock_release(&pause_lock);
  errno = saved;
  return 0;
}

int __gpumemprof_resume(void) {
  if (!gpm_recording()) return GPUMEMPROF_ERROR_OFF;
  gpm_lock_take(&pause_lock);
  bool paused = pauses;
  if (paused && !--pauses) atomic_fetch_and(&gpm_observers, ~(unsigned)GPM_OBSERVING_PAUSED);
  gpm_lock_release(&pause_lock);
  if (paused) return 0;
  gpm_text_say("gpumemprof_resume: recording is not paused", NULL);
  return GPUMEMPROF_ERROR_ARGUMENT;
}
