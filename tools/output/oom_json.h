/* oom_json.h - makes the JSON of an allocation that failed for lack of memory (oom.h), for
 * `gpumemprof oom` and the page. */
#ifndef GPM_TOOLS_OOM_JSON_H
#define GPM_TOOLS_OOM_JSON_H

#include "analysis/oom.h"

#include <jansson.h>

/* Returns the whole object. */
json_t *gpm_oom_json(const struct gpm_profile *profile,
                     const struct gpumemprof_capture_oom *record);

#endif
