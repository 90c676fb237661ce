/* stale.h - calls whose line is that of an earlier call; each is counted as a loss: see stale.c.
 */
#ifndef GPM_STALE_H
#define GPM_STALE_H

#include "base/compiler.h"

#include <stdbool.h>

struct gpm_node;

/* A frame of `scope` is right above that of the call. Under gpm_tree_lock. */
bool gpm_stale_below(const struct gpm_node *call, const void *scope);
/* Where an allocation at a call belongs: the call, or, if it is stale, an unknown line. Null: no
 * room. Not under gpm_tree_lock. */
GPM_COLD struct gpm_node *gpm_stale_event(struct gpm_node *call);

#endif /* GPM_STALE_H */
