/* repeats.h - events that repeat an earlier one: see repeats.c. Unless an event is done, nothing
 * was written. The thread is busy. */
#ifndef GPM_REPEATS_H
#define GPM_REPEATS_H

#include "threads/threads.h"

struct gpm_device;

enum gpm_repeat {
  GPM_REPEAT_NONE,  /* it repeats no event */
  GPM_REPEAT_DONE,  /* it was recorded */
  GPM_REPEAT_SLOWLY /* it may repeat one, but not quickly, or not before a frame is open */
};

enum gpm_repeating {
  GPM_REPEATING_QUICKLY, /* neither waits for a lock nor does what needs several of them */
  GPM_REPEATING_SLOWLY,
  GPM_REPEATING_IN_HISTORY /* the same for the history: the event gets a time stamp, and is added to
                            * it
                            */
};

/* Whether only the history wants to know of each event of the thread. */
static inline bool gpm_repeats_in_history(const struct gpm_thread *thread) {
  return gpm_thread_watched(thread) == GPM_OBSERVING_HISTORY && !thread->delegating;
}

/* device: null if there is only one, else the device of the allocation. */
enum gpm_repeat gpm_repeats_allocated(struct gpm_thread *thread, enum gpm_repeating how,
                                      const struct gpm_device *device, uint16_t kind,
                                      uint64_t address, uint64_t bytes);
enum gpm_repeat gpm_repeats_freed(struct gpm_thread *thread, enum gpm_repeating how,
                                  uint64_t address);
/* Before the first allocation in a scope: opens its frames and sets the cell of the innermost one,
 * if an earlier call allocated along the same path. False: some of them are open, or none. */
bool gpm_repeats_opened(struct gpm_thread *thread, uint16_t kind);

#endif /* GPM_REPEATS_H */
