/* latest.h - the allocations right before a moment, where the moment is known only later.
 *
 *   kept    the latest ones up to the moment     |  since   those behind it
 *
 * When the moment moves on, what came since is kept: each allocation moves once.
 */
#ifndef GPM_TOOLS_LATEST_H
#define GPM_TOOLS_LATEST_H

#include "events/history.h"

struct gpm_latest {
  uint32_t most; /* how many are wanted */
  struct gpm_latest_ring {
    struct gpm_event *event;
    uint64_t count; /* that ever came */
  } kept, since;
};

void gpm_latest_begin(struct gpm_latest *latest, uint32_t most);
void gpm_latest_add(struct gpm_latest *latest, const struct gpm_event *event);
/* The moment is now. */
void gpm_latest_mark(struct gpm_latest *latest);
/* Of those right before the moment the i-th, the latest at the end; null: there are no more. */
const struct gpm_event *gpm_latest_at(const struct gpm_latest *latest, uint64_t i);
void gpm_latest_free(struct gpm_latest *latest);

#endif
