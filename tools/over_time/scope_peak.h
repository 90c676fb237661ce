/* scope_peak.h - when a scope needed most, and what was live then: from the events of a capture. */
#ifndef GPM_TOOLS_SCOPE_PEAK_H
#define GPM_TOOLS_SCOPE_PEAK_H

#include "analysis/held.h"
#include "over_time/latest.h"

/* The activation with the highest own peak. */
struct gpm_scope_peak {
  uint32_t node;              /* NONE: no activation moved memory */
  uint64_t own_peak;          /* bytes */
  uint64_t clock, ticks;      /* of the event that made it */
  uint64_t since;             /* clock of the first event in the activation */
  uint32_t thread, event;     /* event: the node of the allocation that made it */
  struct gpm_holding holding; /* what was live then, of what the profile shows */
  struct gpm_latest before;   /* the allocations up to then, of the same */
};

/* wanted: by node, the scopes to look at; last: how many allocations. Null, or what is wrong, to be
 * freed. *peak is to be freed in any case. */
char *gpm_scope_peak_find(struct gpm_reader *reader, const struct gpm_profile *profile,
                          const uint8_t *wanted, uint32_t last, struct gpm_scope_peak *peak);
void gpm_scope_peak_free(struct gpm_scope_peak *peak);

#endif
