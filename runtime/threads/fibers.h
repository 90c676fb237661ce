/* fibers.h - stacks of the program that take turns on its threads: see fibers.c.
 */
#ifndef GPM_FIBERS_H
#define GPM_FIBERS_H

#include "base/compiler.h"
#include "gpumemprof/hooks.h"

struct gpm_thread;

/* Control arrived at a frame that is not the current record's: makes its record current, unless
 * another thread's. Returns the current one, or null. */
GPM_COLD struct gpm_thread *gpm_fibers_resume(const struct gpumemprof_frame *frame);

#endif /* GPM_FIBERS_H */
