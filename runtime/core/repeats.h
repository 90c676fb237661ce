/* repeats.h - events that repeat an earlier one, for a thread that needs no lock: see repeats.c.
 * Both functions return false when they have done nothing.
 */
#ifndef GPM_REPEATS_H
#define GPM_REPEATS_H

#include "threads/threads.h"

struct gpm_device;

/* device: the device of the allocation; null if the process has only one. */
bool gpm_repeats_allocated(struct gpm_thread *thread, const struct gpm_device *device,
                           uint16_t kind, uint64_t address, uint64_t bytes);
bool gpm_repeats_freed(struct gpm_thread *thread, uint64_t address);

#endif /* GPM_REPEATS_H */
