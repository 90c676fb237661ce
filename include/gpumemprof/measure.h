/* measure.h - what a program may ask the profiler. Included by gpumemprof.h.
 *
 * Bytes are acquired bytes (what the device gave) unless called requested; times are nanoseconds.
 * docs/ACCOUNTING.md defines every figure. Every call is safe when the runtime is absent or off.
 */
#ifndef GPUMEMPROF_MEASURE_H
#define GPUMEMPROF_MEASURE_H

#include "gpumemprof/calls.h"

#include <stddef.h>
#include <stdint.h>

#endif /* GPUMEMPROF_MEASURE_H */
