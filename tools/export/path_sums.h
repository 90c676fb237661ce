/* path_sums.h - the figures of call paths that several formats write. */
#ifndef GPM_TOOLS_PATH_SUMS_H
#define GPM_TOOLS_PATH_SUMS_H

#include "export/export.h"

/* Returns the sum of a figure for each node. The caller frees it. */
uint64_t *gpm_export_sums(const struct gpm_export *x, enum gpm_export_value value);
/* Returns how many blocks of a cell were live at the peak of its device. */
uint64_t gpm_export_blocks_at_peak(const struct gpm_export *x,
                                   const struct gpumemprof_capture_cell *cell);

#endif
