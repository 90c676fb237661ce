/* thresholds.h - limits of a device's total: see thresholds.c. */
#ifndef GPM_THRESHOLDS_H
#define GPM_THRESHOLDS_H

#include <stdint.h>

struct gpm_block;
struct gpm_device;
struct gpm_node;
struct gpm_thread;

/* Called after a total rose, by a block of `node`, under the device's lock. */
void gpm_thresholds_rose(struct gpm_thread *thread, struct gpm_device *device,
                         const struct gpm_node *node, const struct gpm_block *block,
                         uint64_t clock);

#endif /* GPM_THRESHOLDS_H */
