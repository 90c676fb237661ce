/* leaks.h - what is still allocated at the end: call paths that leaked, and variables, which exist
 * until the end and are not leaks. For `gpumemprof leaks` and the page. */
#ifndef GPM_TOOLS_LEAKS_H
#define GPM_TOOLS_LEAKS_H

#include "model/suppressions.h"
#include "rows/rows.h"

/* The variables of one location. */
struct gpm_reachable {
  uint32_t node;
  uint64_t bytes, blocks;
};
/* Which leaks are wanted. All members 0: all of them, the largest first. */
struct gpm_leaks_request {
  uint32_t most;  /* the maximum number of paths; 0: all */
  uint64_t least; /* paths with fewer bytes are hidden */
  bool by_blocks; /* sort those with the most blocks first */
  const struct gpm_suppressions
      *suppressions; /* leaks to hide, which are added up in it; or null */
};
struct gpm_leaks {
  struct gpm_rows rows;            /* by path: those that leaked, in order ... */
  uint32_t count;                  /* ... the number of them ... */
  uint32_t all;                    /* ... and the number of all that leaked ... */
  uint64_t bytes, blocks;          /* ... with their sums */
  uint32_t hidden;                 /* how many of `all` have less than `least` of the request */
  struct gpm_reachable *reachable; /* the largest first */
  uint32_t reachable_count;
};

void gpm_leaks_find(struct gpm_leaks *leaks, const struct gpm_profile *profile,
                    const struct gpm_leaks_request *request);
void gpm_leaks_free(struct gpm_leaks *leaks);

#endif
