/* paths_json.h - call paths of several captures (paths.h) as JSON: `gpumemprof merge`. */
#ifndef GPM_TOOLS_PATHS_JSON_H
#define GPM_TOOLS_PATHS_JSON_H

#include "rows/paths.h"

#include <jansson.h>

/* Returns a path as a list of {"file", "line", "function"[, "block"]}, outermost first. */
json_t *gpm_paths_json(const struct gpm_paths *paths, uint32_t path);

#endif
