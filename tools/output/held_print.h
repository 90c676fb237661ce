/* held_print.h - what was live at a moment (held.h), as a table and as JSON: `gpumemprof peak`. */
#ifndef GPM_TOOLS_HELD_PRINT_H
#define GPM_TOOLS_HELD_PRINT_H

#include "analysis/held.h"

#include <jansson.h>

/* The first `count` lines, with the column of `inside` or without. After sorting. */
void gpm_holding_print(const struct gpm_holding *holding, uint32_t count, bool inside,
                       unsigned style);
json_t *gpm_holding_json(const struct gpm_holding *holding, uint32_t count, bool inside);

#endif
