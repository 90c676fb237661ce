/* unaccounted_print.h - changes of free memory that no event explains (unaccounted.h): the lines
 * below every report, and their JSON. */
#ifndef GPM_TOOLS_UNACCOUNTED_PRINT_H
#define GPM_TOOLS_UNACCOUNTED_PRINT_H

#include "analysis/unaccounted.h"

#include <jansson.h>

/* "unaccounted: +64.00 MiB via cublasCreate_v2 at gemm.cu:44 main", the largest first. */
void gpm_unaccounted_print(const struct gpm_profile *profile, unsigned style);
json_t *gpm_unaccounted_json(const struct gpm_profile *profile);

#endif
