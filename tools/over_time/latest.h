/* latest.h - the allocations right before a moment, if only later events show which moment it is.
 *
 *   kept    the latest ones up to the moment     |  since   those after it
 *
 * When the moment moves on, the allocations in `since` are moved to `kept`: each is moved once.
 */
#ifndef GPM_TOOLS_LATEST_H
#define GPM_TOOLS_LATEST_H

#include "events/history.h"

struct gpm_latest {
  uint32_t most; /* number of allocations that are kept */
  struct gpm_latest_ring {
    struct gpm_event *event;
    uint64_t count; /* number of allocations ever added */
  } kept, since;
};

void gpm_latest_begin(struct gpm_latest *latest, uint32_t most);
void gpm_latest_add(struct gpm_latest *latest, const struct gpm_event *event);
/* Makes this the moment. */
void gpm_latest_mark(struct gpm_latest *latest);
/* Returns the i-th allocation right before the moment, in the order in which they were made; null
 * after the last. */
const struct gpm_event *gpm_latest_at(const struct gpm_latest *latest, uint64_t i);
void gpm_latest_free(struct gpm_latest *latest);

#endif
