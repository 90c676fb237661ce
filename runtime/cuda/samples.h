/* samples.h - samples: what a device or a pool reports at one moment, and what the ledger has at
 * that moment. The "unaccounted" line is computed from them. By a thread that is busy, or the
 * helper.
 */
#ifndef GPM_SAMPLES_H
#define GPM_SAMPLES_H

#include "gpumemprof/capture.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_device;

void gpm_samples_start(void);
void gpm_samples_first(struct gpm_device *device); /* the first of a device; its last is at exit */
/* Takes a sample, if the driver can report: the device's context must be current, or its primary
 * context active. */
void gpm_samples_device(struct gpm_device *device, enum gpumemprof_sample_why why);
/* The same for monitor.c, with the resident bytes of the process. pages: also visits every block,
 * which may take long. */
void gpm_samples_monitor(struct gpm_device *device, bool pages, uint64_t rss);
/* Call these around a call that may end a context, so that no sample retains a context
 * meanwhile. */
void gpm_samples_ending(void);
void gpm_samples_ended(void);
void gpm_samples_forked(void);
void gpm_samples_pool(const struct gpm_device *device, uint32_t pool,
                      const struct gpumemprof_capture_pool *now);

/* The free and total bytes of a device, from the driver; false: it has no context. Creates no
 * context. By a thread that holds no lock. */
bool gpm_samples_ask(int ordinal, uint64_t *bytes_free, uint64_t *total);
/* The bytes by which the pages of a device's blocks exceed the blocks. Visits every block. */
uint64_t gpm_samples_rounding(const struct gpm_device *device);

#endif /* GPM_SAMPLES_H */
