/* leaks_json.h - items of the lists of `gpumemprof leaks --format json` and of the page. */
#ifndef GPM_TOOLS_LEAKS_JSON_H
#define GPM_TOOLS_LEAKS_JSON_H

#include "analysis/leaks.h"

#include <jansson.h>

/* Return items of the lists `leaks` (with at most `steps` steps of the path, the innermost ones)
 * and `reachable`. */
json_t *gpm_leaks_json(const struct gpm_rows *rows, uint32_t row, size_t steps);
json_t *gpm_leaks_reachable_json(const struct gpm_profile *profile,
                                 const struct gpm_reachable *reachable);

#endif
