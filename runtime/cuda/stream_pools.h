/* stream_pools.h - what the runtime reads of pools of stream-ordered memory: see stream_pools.c.
 */
#ifndef GPM_STREAM_POOLS_H
#define GPM_STREAM_POOLS_H

#include "cuda/effects.h"

void gpm_pools_start(void); /* with each capture */
/* Asks every pool of a device, and takes a sample where one changed. */
void gpm_pools_look(struct gpm_thread *thread, struct gpm_device *device);
/* Bytes of its pools, as they said when looked at last. */
void gpm_pools_sum(const struct gpm_device *device, uint64_t *used, uint64_t *reserved);
/* The same by the helper: no sample of the device itself, and nothing where it had to wait. */
void gpm_pools_poll(struct gpm_device *device);
/* Its pools that hold something, as they were when looked at last. */
void gpm_pools_each(const struct gpm_device *device,
                    void (*see)(uint32_t pool, uint64_t used, uint64_t reserved, void *data),
                    void *data);

#endif /* GPM_STREAM_POOLS_H */
