/* unaccounted.h - changes of free memory that no recorded event explains, at the lines whose calls
 * into libraries they came with (option unaccounted=calls). */
#ifndef GPM_TOOLS_UNACCOUNTED_H
#define GPM_TOOLS_UNACCOUNTED_H

#include "model/profile.h"

#include <jansson.h>

/* "unaccounted: +64.00 MiB via cublasCreate_v2 at gemm.cu:44 main", the largest first. */
void gpm_unaccounted_print(const struct gpm_profile *profile, unsigned style);
json_t *gpm_unaccounted_json(const struct gpm_profile *profile);

#endif
