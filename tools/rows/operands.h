/* operands.h - the operands from which sizes of allocations were computed, as text and JSON. */
#ifndef GPM_TOOLS_OPERANDS_H
#define GPM_TOOLS_OPERANDS_H

#include "capture/reader.h"

/* Returns "n 128..4096, m 3": the smallest and the largest value of each operand over the calls of
 * a site; "" if it has no operands. The caller frees it. */
char *gpm_operands_range(const struct gpm_reader *reader, uint32_t site);

/* Returns "n=4096 m=3", the values of one call; the caller frees it. */
char *gpm_operands_of_call(const struct gpm_reader *reader, uint32_t record,
                           const uint64_t values[GPUMEMPROF_OPERANDS]);

#define GPM_OPERANDS_NUMBER 24 /* room for 64 bits */
/* Formats a value of operand `i` by its type. */
const char *gpm_operands_number(char out[GPM_OPERANDS_NUMBER],
                                const struct gpumemprof_capture_operands *operands, unsigned i,
                                uint64_t value);
/* Returns the next record of a site in which values were recorded; null after the last. */
const struct gpumemprof_capture_operands *gpm_operands_next(struct gpm_cursor *at, uint32_t site);

#endif
