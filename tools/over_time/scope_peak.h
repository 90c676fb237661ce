/* scope_peak.h - when a scope needed the most memory, and what was live then: from the events of a
 * capture. */
#ifndef GPM_TOOLS_SCOPE_PEAK_H
#define GPM_TOOLS_SCOPE_PEAK_H

#include "analysis/holding.h"
#include "over_time/latest.h"

enum { GPM_SCOPE_PEAK_MOST_LAST = 100000 }; /* allocations before a peak that are kept */

/* The activation with the highest own peak. */
struct gpm_scope_peak {
  enum gpm_scope_fault {
    GPM_SCOPE_FINE,
    GPM_SCOPE_NAME,   /* there is no such scope, or it never needed memory */
    GPM_SCOPE_EVENTS, /* the capture does not have all events */
    GPM_SCOPE_DAMAGED
  } fault;                    /* why there is no peak */
  uint32_t node;              /* NONE: no activation moved memory */
  uint64_t own_peak;          /* bytes */
  uint64_t clock, ticks;      /* those of the event that reached it */
  uint64_t since;             /* clock of the first event in the activation */
  uint32_t thread, event;     /* event: the node of the allocation that reached it */
  struct gpm_holding holding; /* what was live then, as far as the profile shows it */
  struct gpm_latest before;   /* the allocations up to then, as far as the profile shows them */
};

/* wanted: by node, the scopes to examine; last: how many allocations to return. Returns null or
 * what is wrong, which the caller frees. *peak is to be freed in any case. */
char *gpm_scope_peak_find(struct gpm_reader *reader, const struct gpm_profile *profile,
                          const uint8_t *wanted, uint32_t last, struct gpm_scope_peak *peak);
/* The same for all scopes with that name, of which one has to have needed memory. */
char *gpm_scope_peak_named(struct gpm_reader *reader, const struct gpm_profile *profile,
                           const char *name, uint32_t last, struct gpm_scope_peak *peak);
void gpm_scope_peak_free(struct gpm_scope_peak *peak);

#endif
