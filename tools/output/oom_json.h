/* oom_json.h - an allocation that was out of memory (oom.h) as JSON: `gpumemprof oom`, the page. */
#ifndef GPM_TOOLS_OOM_JSON_H
#define GPM_TOOLS_OOM_JSON_H

#include "analysis/oom.h"

#include <jansson.h>

/* All of it. */
json_t *gpm_oom_json(const struct gpm_profile *profile,
                     const struct gpumemprof_capture_oom *record);

#endif
