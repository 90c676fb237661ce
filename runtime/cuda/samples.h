/* samples.h - what a device or a pool says at one moment, beside what the ledger holds: the ground
 * of the "unaccounted" line. By a thread that is busy, or the helper.
 */
#ifndef GPM_SAMPLES_H
#define GPM_SAMPLES_H

#include "gpumemprof/capture.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_device;

void gpm_samples_start(void);
void gpm_samples_first(struct gpm_device *device); /* the first of a device; its last is at exit */
/* Nothing where the driver does not tell: the device's context must be current, or its primary
 * context active. */
void gpm_samples_device(struct gpm_device *device, enum gpumemprof_sample_why why);
/* The same for monitor.c, with the resident bytes of the process. pages: also looks at every block,
 * which may take long. */
void gpm_samples_monitor(struct gpm_device *device, bool pages, uint64_t rss);
/* Around a call that may end a context: none is kept from it. */
void gpm_samples_ending(void);
void gpm_samples_ended(void);
void gpm_samples_forked(void);
void gpm_samples_pool(const struct gpm_device *device, uint32_t pool,
                      const struct gpumemprof_capture_pool *now);

/* Free and total bytes of a device, as the driver tells; false: it has no context. No context is
 * made. By a thread that holds no lock. */
bool gpm_samples_ask(int ordinal, uint64_t *bytes_free, uint64_t *total);
/* What the pages of a device's blocks hold beyond their bytes. Looks at every block. */
uint64_t gpm_samples_rounding(const struct gpm_device *device);

#endif /* GPM_SAMPLES_H */
