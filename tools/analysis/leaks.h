/* leaks.h - what is still allocated at the end: call paths that leaked, and variables, which are
 * there to the end and no leak. For `gpumemprof leaks` and the page. */
#ifndef GPM_TOOLS_LEAKS_H
#define GPM_TOOLS_LEAKS_H

#include "analysis/suppressions.h"
#include "rows/rows.h"

/* Variables of a place. */
struct gpm_reachable {
  uint32_t node;
  uint64_t bytes, blocks;
};
struct gpm_leaks {
  struct gpm_rows rows;            /* by path, those that leaked, the largest first ... */
  uint32_t count;                  /* ... so many of them, ... */
  uint32_t all;                    /* ... of so many, which have leaked ... */
  uint64_t bytes, blocks;          /* ... so much */
  struct gpm_reachable *reachable; /* the largest first */
  uint32_t reachable_count;
};

/* `most` of them at most (0: all), without those that a suppression is about, which gets their
 * bytes and blocks; null: there are none. */
void gpm_leaks_find(struct gpm_leaks *leaks, const struct gpm_profile *profile, uint32_t most,
                    const struct gpm_suppressions *suppressions);
void gpm_leaks_free(struct gpm_leaks *leaks);

#endif
