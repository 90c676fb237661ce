/* fibers.h - fibers, the machine stacks that the program switches to by itself: see fibers.c.
 */
#ifndef GPM_FIBERS_H
#define GPM_FIBERS_H

#include "base/compiler.h"
#include "gpumemprof/hooks.h"

struct gpm_thread;

/* Control has arrived at a frame that does not belong to the current record. Makes the frame's
 * record current, unless that belongs to another thread. Returns the current record, or null. */
GPM_COLD struct gpm_thread *gpm_fibers_resume(const struct gpumemprof_frame *frame);

#endif /* GPM_FIBERS_H */
