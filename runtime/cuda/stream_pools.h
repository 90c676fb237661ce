/* stream_pools.h - what the runtime reads of pools of stream-ordered memory: see stream_pools.c.
 */
#ifndef GPM_STREAM_POOLS_H
#define GPM_STREAM_POOLS_H

#include "cuda/effects.h"

void gpm_pools_start(void); /* with each capture */
/* Refreshes every pool of a device, and takes a sample if one changed. */
void gpm_pools_sample(struct gpm_device *device);
/* The bytes of a device's pools, as of the latest refresh. */
void gpm_pools_sum(const struct gpm_device *device, uint64_t *used, uint64_t *reserved);
/* Refreshes the pools for the helper: takes no sample of the device itself, and does nothing if it
 * had to wait. */
void gpm_pools_poll(struct gpm_device *device);
/* Calls `see` for each pool of a device that has memory, with its bytes as of the latest
 * refresh. */
void gpm_pools_each(const struct gpm_device *device,
                    void (*see)(uint32_t pool, uint64_t used, uint64_t reserved, void *data),
                    void *data);

#endif /* GPM_STREAM_POOLS_H */
