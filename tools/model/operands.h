/* operands.h - what sizes of allocations were computed from, as text and JSON. */
#ifndef GPM_TOOLS_OPERANDS_H
#define GPM_TOOLS_OPERANDS_H

#include "capture/reader.h"

#include <jansson.h>

/* "n 128..4096, m 3": smallest and largest of each operand of a site's calls; "" when it has none.
 * To be freed. */
char *gpm_operands_range(const struct gpm_reader *reader, uint32_t site);
/* The same as a list of {"name", "min", "max", "latest", "at_largest"}, the last being its value in
 * the call that asked for most. Null (of JSON) when it has none. */
json_t *gpm_operands_json(const struct gpm_reader *reader, uint32_t site);

/* "n=4096 m=3": the values of one call. To be freed. */
char *gpm_operands_of_call(const struct gpm_reader *reader, uint32_t record,
                           const uint64_t values[GPUMEMPROF_OPERANDS]);
json_t *gpm_operands_of_call_json(const struct gpm_reader *reader, uint32_t record,
                                  const uint64_t values[GPUMEMPROF_OPERANDS]);

#endif
