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
/* Which of them: all zero is all, the largest first. */
struct gpm_leaks_wish {
  uint32_t most;  /* so many at most; 0: all */
  uint64_t least; /* of so many bytes */
  bool by_blocks; /* those with most blocks first */
  const struct gpm_suppressions
      *suppressions; /* not those; it gets their bytes and blocks. Or null */
};
struct gpm_leaks {
  struct gpm_rows rows;            /* by path, those that leaked, in order ... */
  uint32_t count;                  /* ... so many of them, ... */
  uint32_t all;                    /* ... of so many, which have leaked ... */
  uint64_t bytes, blocks;          /* ... so much */
  uint32_t hidden;                 /* of `all`, those with less than the wish's least */
  struct gpm_reachable *reachable; /* the largest first */
  uint32_t reachable_count;
};

void gpm_leaks_find(struct gpm_leaks *leaks, const struct gpm_profile *profile,
                    const struct gpm_leaks_wish *wish);
void gpm_leaks_free(struct gpm_leaks *leaks);

#endif
