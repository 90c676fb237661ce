/* repeats.h - events that repeat an earlier one: see repeats.c. False: nothing was done. The thread
 * is busy; `single`: it owns the bias and needs no lock (bias.h).
 */
#ifndef GPM_REPEATS_H
#define GPM_REPEATS_H

#include "threads/threads.h"

struct gpm_device;

/* device: null if there is only one, else the device of the allocation. */
bool gpm_repeats_allocated(struct gpm_thread *thread, bool single, const struct gpm_device *device,
                           uint16_t kind, uint64_t address, uint64_t bytes);
bool gpm_repeats_freed(struct gpm_thread *thread, bool single, uint64_t address);
/* Before the first allocation in a scope: opens its frames and sets the cell of the innermost one,
 * if an earlier call allocated along the same path. */
bool gpm_repeats_opened(struct gpm_thread *thread, bool single, uint16_t kind);

#endif /* GPM_REPEATS_H */
