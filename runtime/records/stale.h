/* stale.h - calls whose line is that of an earlier call; each is counted as a loss: see stale.c.
 */
#ifndef GPM_STALE_H
#define GPM_STALE_H

#include "base/compiler.h"

#include <stdbool.h>

struct gpm_node;

/* Whether the call is stale, given that a frame of `scope` is directly above that of the call.
 * Under gpm_tree_lock. */
bool gpm_stale_below(const struct gpm_node *call, const void *scope);
/* The node that an allocation at a call belongs to: the call, or an unknown line if the call is
 * stale. Null: there is no room. The caller must not hold gpm_tree_lock. */
GPM_COLD struct gpm_node *gpm_stale_event(struct gpm_node *call);

#endif /* GPM_STALE_H */
