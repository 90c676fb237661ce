/* steps.h - parts of the program that come again and again, captures of some of them, and what
 * they leave. control.h includes it. */
#ifndef GPUMEMPROF_STEPS_H
#define GPUMEMPROF_STEPS_H

#include "gpumemprof/calls.h"
#include "gpumemprof/errors.h"

#include <stdint.h>

/* ---- steps --------------------------------------------------------------------------------------
 * A step is a part of the program that comes again and again: an iteration of training, or a
 * request. The option schedule=skip_first:10,wait:1,warmup:1,active:3,repeat:2 makes captures of
 * some steps: after the first 10 steps, of each 5 steps the last 3 (the active ones), 2 times.
 * Figures begin again with the first active step (gpumemprof_reset), and after the last one a copy
 * of the capture is written: NAME.cycle-N.gmprof beside NAME.gmprof. Everything is recorded in all
 * phases, so what is live is always known; warmup differs from wait only by its name. Keys that are
 * left out are 0, and repeat:0 continues to the end. The capture itself ends as always, with
 * figures since the latest reset. */

/* Ends a step and begins the next one; the first step began with the program. Returns how many
 * steps have ended, or 0 when nothing is recorded. It costs 0.1 us. At the end of a cycle it also
 * costs as much as a dump, and at the beginning of one as much as a reset.
 *
 * With the option step=FUNCTION, each call of that function, named as in reports, begins a step:
 * when memory first moves in it, or at once if it is marked GPUMEMPROF_PROFILE. A call in which no
 * memory moves is then not a step. Method: torch.profiler's schedule and step(). */
GPUMEMPROF_CALL_(uint64_t, step, (void), (), 0)

struct gpumemprof_cycle {
  uint32_t size;    /* of this structure */
  uint32_t number;  /* 1, 2, ... */
  const char *path; /* of its file; null if that could not be written, after a sentence */
};
/* Calls `callback` when a cycle has ended and its file is written. It replaces a callback that was
 * set before, which may still be running on other threads. Null means no callback. The callback
 * runs on the thread that made the step, with the rights and duties of hooks; with step=FUNCTION it
 * runs after the first event of the new step. It is also called in children that are forked later.
 * Returns 0, or GPUMEMPROF_ERROR_OFF. With step=FUNCTION this ends the faster path as the first
 * hook does. */
GPUMEMPROF_CALL_(int, on_cycle,
                 (void (*callback)(const struct gpumemprof_cycle *cycle, void *data), void *data),
                 (callback, data), GPUMEMPROF_ERROR_OFF)

struct gpumemprof_growth {
  uint32_t size; /* of this structure */
  uint32_t reserved;
  uint64_t step;   /* number of the step that ended, from 1 */
  uint64_t before; /* live bytes of all GPUs at the end of the step before it */
  uint64_t live;   /* live bytes of all GPUs now */
  uint64_t from; /* marks of both moments: gpumemprof_leaks(from, to, ...) is what the step left */
  uint64_t to;
};
/* Calls `callback` at the end of each step that left more than `bytes` more bytes live than there
 * were at the end of the step before it. The first step that can be reported is therefore the
 * second. The callback replaces one that was set before, and null means no callback. It runs on the
 * thread that made the step, as with gpumemprof_on_cycle, and also in children that are forked
 * later. Returns 0, or GPUMEMPROF_ERROR_OFF. GPUMEMPROF_OPTIONS=growth=10MiB uses a callback that
 * prints a line on standard error with the line that allocated the largest block that the step
 * left. */
GPUMEMPROF_CALL_(int, on_growth,
                 (uint64_t bytes,
                  void (*callback)(const struct gpumemprof_growth *growth, void *data), void *data),
                 (bytes, callback, data), GPUMEMPROF_ERROR_OFF)

#endif /* GPUMEMPROF_STEPS_H */
