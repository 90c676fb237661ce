/* control.h - what a program may tell the profiler to do. Included by gpumemprof.h.
 *
 * Every call is safe when the runtime is absent or off: it does nothing, and says so by what it
 * returns. Any thread, unless it says otherwise; none is async-signal-safe unless it says so.
 */
#ifndef GPUMEMPROF_CONTROL_H
#define GPUMEMPROF_CONTROL_H

#include "gpumemprof/calls.h"

#include <stddef.h>
#include <stdint.h>

#endif /* GPUMEMPROF_CONTROL_H */
