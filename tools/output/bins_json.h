/* bins_json.h - histograms of blocks (bins.h) as JSON: `gpumemprof histogram` and the page. */
#ifndef GPM_TOOLS_BINS_JSON_H
#define GPM_TOOLS_BINS_JSON_H

#include "over_time/bins.h"

/* The shown ones, as items of a list that has been begun (gpm_json_list). */
void gpm_bins_json(const struct gpm_bins *bins);

#endif
