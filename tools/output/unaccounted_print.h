/* unaccounted_print.h - prints the changes of free memory that no event explains (unaccounted.h):
 * the lines that follow every report, and their JSON; and the terms of what a device has in use, of
 * which the last is unaccounted. */
#ifndef GPM_TOOLS_UNACCOUNTED_PRINT_H
#define GPM_TOOLS_UNACCOUNTED_PRINT_H

#include "analysis/unaccounted.h"

#include <jansson.h>
#include <stdio.h>

/* Prints lines such as "unaccounted: +64.00 MiB via cublasCreate_v2 at gemm.cu:44 main", the
 * largest change first. */
void gpm_unaccounted_print(const struct gpm_profile *profile, unsigned style);
json_t *gpm_unaccounted_json(const struct gpm_profile *profile);

/* What adds up to what is in use; docs/ACCOUNTING.md defines the terms. */
struct gpm_unaccounted_terms {
  uint64_t used, recorded;
  int64_t pool_slack, rounding, unaccounted;
  uint64_t managed;    /* the part of `recorded` that is managed memory */
  bool rounding_known; /* else what fills pages is in `unaccounted` */
  bool is_simulated;   /* no other process has memory there, and CUDA only if that was asked for */
};

/* Prints "40.00 MiB = 38.00 MiB recorded + 2.00 MiB to fill pages". `what` follows the first
 * figure: " in use", or nothing. */
void gpm_unaccounted_print_in_use(FILE *to, const struct gpm_unaccounted_terms *terms,
                                  const char *what, unsigned style);

/* How much of negative `unaccounted` is managed memory: it is recorded in full, whether or not its
 * pages are on the device. */
uint64_t gpm_unaccounted_managed_away(const struct gpm_unaccounted_terms *terms);

#endif
