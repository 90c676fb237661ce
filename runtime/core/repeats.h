/* repeats.h - events that repeat the one before, for a thread that needs no lock: see repeats.c.
 * False: nothing was done.
 */
#ifndef GPM_REPEATS_H
#define GPM_REPEATS_H

#include "threads/threads.h"

struct gpm_device;

/* device: null if there is only one, else the device of the allocation. */
bool gpm_repeats_allocated(struct gpm_thread *thread, const struct gpm_device *device,
                           uint16_t kind, uint64_t address, uint64_t bytes);
bool gpm_repeats_freed(struct gpm_thread *thread, uint64_t address);

#endif /* GPM_REPEATS_H */
