/* unaccounted_print.h - prints the changes of free memory that no event explains (unaccounted.h):
 * the lines that follow every report, and their JSON. */
#ifndef GPM_TOOLS_UNACCOUNTED_PRINT_H
#define GPM_TOOLS_UNACCOUNTED_PRINT_H

#include "analysis/unaccounted.h"

#include <jansson.h>

/* Prints lines such as "unaccounted: +64.00 MiB via cublasCreate_v2 at gemm.cu:44 main", the
 * largest change first. */
void gpm_unaccounted_print(const struct gpm_profile *profile, unsigned style);
json_t *gpm_unaccounted_json(const struct gpm_profile *profile);

#endif
