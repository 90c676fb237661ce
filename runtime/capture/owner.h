/* owner.h - which process a capture belongs to: see owner.c.
 */
#ifndef GPM_OWNER_H
#define GPM_OWNER_H

#include "gpumemprof/capture.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether a running process writes the capture, or may write it as far as this host knows. */
bool gpm_owner_in_use(const struct gpumemprof_capture_header *h);
uint64_t gpm_owner_process_start(uint64_t pid); /* 0: it does not run */
void gpm_owner_boot_id(char *text, size_t size);

#endif /* GPM_OWNER_H */
