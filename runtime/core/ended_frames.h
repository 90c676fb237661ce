/* ended_frames.h - scopes that end one after the other, without an event in between: see
 * ended_frames.c.
 */
#ifndef GPM_ENDED_FRAMES_H
#define GPM_ENDED_FRAMES_H

#include "core/shadow_stack.h"
#include "threads/threads.h"

/* An open frame's entry clock once its activation has copied it: compiled code does not end the
 * frame by itself, because no event has this clock or its negative. */
#define GPM_NOT_BY_ITSELF ((uint64_t)INT64_MAX)

/* Whether an open activation was entered at the clock and nothing has moved in it yet but what is
 * in activations inside it that are still open; and nothing else is to be done at its end. */
static inline bool gpm_is_untouched(const struct gpm_thread *thread, const struct gpm_open *open,
                                    uint64_t entry_clock) {
  const struct gpumemprof_capture_activation *a = open->record; /* of the bottom: null */
  return a >= thread->segment_first && !a->flags && a->entry_clock == entry_clock &&
         !open->frame->cell;
}

/* Whether the end of the innermost activation may be counted later, together with the ends of those
 * around it. */
static inline bool gpm_may_end_later(const struct gpm_thread *thread) {
  const struct gpm_open *open = thread->latest;
  uint64_t entry_clock = open->record->entry_clock;
  return gpm_is_untouched(thread, open - 1, entry_clock) &&
         gpm_is_untouched(thread, open - 2, entry_clock);
}

/* Ends the innermost activation, of which gpm_may_end_later is true, and leaves it to
 * gpm_thread_count_ended to count that. Memory moved in it, and nothing else is to be done at its
 * end. False: nothing was done. */
bool gpm_thread_end_later(struct gpm_thread *thread);
/* Counts what has ended in all threads, for what looks at their scopes or records more of them from
 * now on. The caller holds no lock. */
void gpm_threads_count_ended(void);

#endif /* GPM_ENDED_FRAMES_H */
