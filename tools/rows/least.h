/* least.h - `--min SIZE`: which rows are too small to be shown. */
#ifndef GPM_TOOLS_LEAST_H
#define GPM_TOOLS_LEAST_H

#include "rows/columns.h"

/* Returns the figure that SIZE is compared with: the column that rows are sorted by, or at_peak if
 * that column is not in bytes. */
enum gpm_figure gpm_least_of(unsigned sort);
/* Returns whether a row with that value is hidden. known: the figure applies to the row. A `least`
 * of 0 hides no row. */
bool gpm_least_hides(uint64_t least, enum gpm_figure figure, bool known, int64_t value);

#endif
