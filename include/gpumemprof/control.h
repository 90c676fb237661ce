/* control.h - what a program may tell the profiler to do. Included by gpumemprof.h.
 *
 * Every call is safe when the runtime is absent or off: it does nothing, and says so by what it
 * returns. Any thread, unless it says otherwise; none is async-signal-safe unless it says so.
 */
#ifndef GPUMEMPROF_CONTROL_H
#define GPUMEMPROF_CONTROL_H

#include "gpumemprof/calls.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* ---- labels ------------------------------------------------------------------------------------
 *
 * A label is a name for a stretch of time of one thread: what it allocates until the label is
 * popped is also counted under it (`gpumemprof report --by label`). Other than a scope it may begin
 * in one function and end in another. Labels nest: "epoch/forward". */

/* text: copied; up to 1000 bytes with those around it. Returns how many labels the thread has now,
 * 0 when nothing is recorded. Of more than 64 the outermost 64 are named. Cost: about 0.1 us, and
 * 1 ns for each open scope that holds memory. Method: torch.profiler's record_function, NVTX's
 * ranges. */
GPUMEMPROF_CALL_(int, label_push, (const char *text), (text), 0)
/* Returns how many labels are left; -1 when there was none, or nothing is recorded. */
GPUMEMPROF_CALL_(int, label_pop, (void), (), -1)

/* GPUMEMPROF_LABEL(text): a label for the rest of the enclosing block, on every way out of it. */
#if defined(__GNUC__)
GPUMEMPROF_TRANSPARENT_ static inline GPUMEMPROF_UNUSED_ void
gpumemprof_label_leave_(const int *pushed) {
  if (*pushed > 0) gpumemprof_label_pop();
}
#define GPUMEMPROF_LABEL_(text, id)                                                                \
  const int GPUMEMPROF_CAT_(gpumemprof_label_, id)                                                 \
      __attribute__((cleanup(gpumemprof_label_leave_), unused)) = gpumemprof_label_push(text)
#define GPUMEMPROF_LABEL(text) GPUMEMPROF_LABEL_(text, __COUNTER__)
#else
#define GPUMEMPROF_LABEL(text) ((void)0)
#endif
/* Takes a sample of what each device has in use every `interval_ns` nanoseconds, as the option
 * monitor= does, from the first sight of a device on; a monitor that runs goes on with the new
 * interval. 0, or an error number: EINVAL for less than a millisecond, ENOSYS when nothing is
 * recorded, EAGAIN when no thread can be started, EBUSY when the driver still holds the one that
 * was stopped. Cost: a thread of the runtime's own, and a few microseconds of it for each sample
 * and device. A forked child takes samples from its first device on. */
GPUMEMPROF_CALL_(int, monitor_start, (uint64_t interval_ns), (interval_ns),
                 ((void)interval_ns, ENOSYS))
/* Ends that: when it returns, the latest sample was taken (or the driver did not answer for a
 * second). */
GPUMEMPROF_CALL_VOID_(monitor_stop, (void), ())

#endif /* GPUMEMPROF_CONTROL_H */
