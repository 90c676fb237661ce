/* holding_print.h - prints what was live at a moment (holding.h), as a table and as JSON, for
 * `gpumemprof peak`. */
#ifndef GPM_TOOLS_HOLDING_PRINT_H
#define GPM_TOOLS_HOLDING_PRINT_H

#include "analysis/holding.h"

#include <jansson.h>

/* Prints the first `count` lines, which are sorted already. `inside` adds its column. Without
 * `whole` a location is cut to what the terminal has room for. */
void gpm_holding_print(const struct gpm_holding *holding, uint32_t count, bool inside, bool whole,
                       unsigned style);
json_t *gpm_holding_json(const struct gpm_holding *holding, uint32_t count, bool inside);

#endif
