/* copies.h - shared by copies.c and other_uses.c.
 */
#ifndef GPM_COPIES_H
#define GPM_COPIES_H

#include "gpumemprof/hooks.h"

#include <stdbool.h>
#include <stdint.h>

/* Addresses that are from now on where kernels and libraries find them (other_uses.c). */
void gpm_uses_addresses(const struct gpumemprof_site *site, uint32_t count, const uint64_t *value);
/* Whether functions of the host may have run in a stream, or a stream waits for the host. */
bool gpm_uses_ran_host_functions(void);

#endif /* GPM_COPIES_H */
