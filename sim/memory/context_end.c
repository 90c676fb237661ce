/* context_end.c - the end of a context: its allocations first, then its handles, then itself. It
 * stands here and not in device/context.c, which knows no allocations.
 */
#include "memory/memory.h"

void gpm_sim_context_destroy(struct gpm_sim_context *context) {
  GPM_SIM_LOCKED;
  gpm_sim_block_free_all(context);
  gpm_sim_object_destroy_all(context);
  gpm_sim_context_close(context);
}
