/* scope_peak.h - when a scope needed most, and what was live then: from the events of a capture. */
#ifndef GPM_TOOLS_SCOPE_PEAK_H
#define GPM_TOOLS_SCOPE_PEAK_H

#include "analysis/held.h"
#include "events/history.h"

/* The activation with the highest own peak. */
struct gpm_scope_peak {
  uint32_t node;          /* NONE: no activation moved memory */
  uint64_t own_peak;      /* bytes */
  uint64_t clock, ticks;  /* of the event that made it */
  uint64_t since;         /* clock of the first event in the activation */
  uint32_t thread, event; /* event: the node of the allocation that made it */
};

/* wanted: by node, the scopes to look at. Null, or what is wrong, to be freed. */
char *gpm_scope_peak_find(struct gpm_reader *reader, const struct gpm_profile *profile,
                          const uint8_t *wanted, struct gpm_scope_peak *peak);
/* What was live then, on the devices and of the kinds of the profile's filter. As above. */
char *gpm_scope_peak_hold(struct gpm_reader *reader, const struct gpm_profile *profile,
                          const struct gpm_scope_peak *peak, struct gpm_holding *holding);

#endif
