/* pools_json.h - a pool of an allocator (pools.h) as JSON: `gpumemprof pools` and the page. */
#ifndef GPM_TOOLS_POOLS_JSON_H
#define GPM_TOOLS_POOLS_JSON_H

#include "analysis/pools.h"

#include <jansson.h>

/* Returns an item of the list `pools`. */
json_t *gpm_pools_json(const struct gpm_reader *reader, const struct gpm_pool *pool);

#endif
