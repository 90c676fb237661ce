/* imbalance_json.h - why one process needs more memory than the others (imbalance.h), as JSON. */
#ifndef GPM_TOOLS_IMBALANCE_JSON_H
#define GPM_TOOLS_IMBALANCE_JSON_H

#include "comparison/imbalance.h"

#include <jansson.h>

/* Returns an object, or JSON's null if nothing is known. */
json_t *gpm_imbalance_json(const struct gpm_imbalance *imbalance, const struct gpm_processes *all,
                           const struct gpm_job_peaks *peaks);

#endif
