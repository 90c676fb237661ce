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

/* Ends the activation of a frame and leaves it to gpm_thread_count_ended to count that, if it is
 * the innermost one, memory moved in it, nothing else is to be done at its end, and the same may
 * become of those around it. False: nothing was done. */
bool gpm_thread_end_later(struct gpm_thread *thread, struct gpumemprof_frame *frame);
/* Counts what has ended in all threads, for what looks at their scopes or records more of them from
 * now on. The caller holds no lock. */
void gpm_threads_count_ended(void);

#endif /* GPM_ENDED_FRAMES_H */
