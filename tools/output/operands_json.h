/* operands_json.h - the values of the operands of a size (operands.h) as JSON. */
#ifndef GPM_TOOLS_OPERANDS_JSON_H
#define GPM_TOOLS_OPERANDS_JSON_H

#include "rows/operands.h"

#include <jansson.h>

/* Returns the operands of a size as a list of {"name", "min", "max", "latest", "at_largest"}.
 * "at_largest" is the value in the call that requested most. Returns JSON's null if the size has
 * none. */
json_t *gpm_operands_json(const struct gpm_reader *reader, uint32_t site);
json_t *gpm_operands_of_call_json(const struct gpm_reader *reader, uint32_t record,
                                  const uint64_t values[GPUMEMPROF_OPERANDS]);

#endif
