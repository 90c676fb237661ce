/* context_end.c - the end of a context: its allocations end first, then its handles, then the
 * context itself. This is not in device/context.c, because the device room does not know
 * allocations.
 */
#include "base/lock.h"
#include "base/object.h"
#include "memory/memory.h"

void gpm_sim_context_destroy(struct gpm_sim_context *context) {
  GPM_SIM_LOCKED;
  gpm_sim_block_free_all(context);
  gpm_sim_object_destroy_all(context);
  gpm_sim_context_close(context);
}
