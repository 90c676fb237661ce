/* leaks.h - what is still allocated at the end: call paths that leaked, and variables, which are
 * there to the end and no leak. For `gpumemprof leaks` and the page. */
#ifndef GPM_TOOLS_LEAKS_H
#define GPM_TOOLS_LEAKS_H

#include "order.h"

#include <jansson.h>

/* Variables of a place. */
struct gpm_reachable {
  uint32_t node;
  uint64_t bytes, blocks;
};
struct gpm_leaks {
  struct gpm_order order;          /* of the rows, those that leaked, the largest first */
  struct gpm_reachable *reachable; /* the largest first */
  uint32_t reachable_count;
};

/* rows: by path. */
void gpm_leaks_find(struct gpm_leaks *leaks, const struct gpm_rows *rows);
void gpm_leaks_free(struct gpm_leaks *leaks);

/* Items of the lists `leaks` (with so many steps of the path, the innermost) and `reachable`. */
json_t *gpm_leaks_json(const struct gpm_rows *rows, uint32_t row, size_t steps);
json_t *gpm_leaks_reachable_json(const struct gpm_profile *profile,
                                 const struct gpm_reachable *reachable);

#endif
