/* capture_operands.h - a part of capture.h: the values that sizes of allocations are computed from.
 */
#ifndef GPUMEMPROF_CAPTURE_OPERANDS_H
#define GPUMEMPROF_CAPTURE_OPERANDS_H

#include "gpumemprof/capture.h"
#include "gpumemprof/hooks.h"

/* The operands of a call's size, n and m of `n * m * sizeof(float)`, over all calls at the site
 * whose values are known, also those that failed. Values are 64 bits each, signed ones with their
 * sign. largest: those of the call that asked for most. A reader of a program that runs, or that
 * was killed just then, may find a part of the latest change. */
struct gpumemprof_capture_operands {
  uint32_t site;
  uint8_t count;     /* 1 to GPUMEMPROF_OPERANDS */
  uint8_t is_signed; /* a bit for each */
  uint16_t reserved0;
  uint32_t name[GPUMEMPROF_OPERANDS]; /* strings: as written */
  uint64_t recorded; /* (live) calls with other values than the call before, with the history on
                      * all; 0: none since the reset, and what follows is nothing */
  uint64_t min[GPUMEMPROF_OPERANDS];     /* (live) */
  uint64_t max[GPUMEMPROF_OPERANDS];     /* (live) */
  uint64_t latest[GPUMEMPROF_OPERANDS];  /* (live) */
  uint64_t largest[GPUMEMPROF_OPERANDS]; /* (live) */
  uint64_t largest_bytes;                /* (live) what that call asked for */
  uint64_t reserved[3];
};
_Static_assert(sizeof(struct gpumemprof_capture_operands) == 192, "operands layout");

#endif /* GPUMEMPROF_CAPTURE_OPERANDS_H */
