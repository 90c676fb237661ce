/* bins_json.h - writes histograms of blocks (bins.h) as JSON, for `gpumemprof histogram` and the
 * page. */
#ifndef GPM_TOOLS_BINS_JSON_H
#define GPM_TOOLS_BINS_JSON_H

#include "over_time/bins.h"

/* Writes the bins that are shown as items of a list that was begun before (gpm_json_list). */
void gpm_bins_json(const struct gpm_bins *bins);

#endif
