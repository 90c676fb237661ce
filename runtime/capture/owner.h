/* owner.h - which process a capture belongs to: see owner.c.
 */
#ifndef GPM_OWNER_H
#define GPM_OWNER_H

#include "gpumemprof/capture.h"

#include <stdbool.h>
#include <stddef.h>

/* Of a capture: a process that runs writes it, or nobody can tell. */
bool gpm_owner_in_use(const struct gpumemprof_capture_header *h);
uint64_t gpm_owner_process_start(uint64_t pid); /* 0: it does not run */
void gpm_owner_boot_id(char *text, size_t size);

#endif /* GPM_OWNER_H */
