/* least.h - `--min SIZE`: which rows are too small to be shown. */
#ifndef GPM_TOOLS_LEAST_H
#define GPM_TOOLS_LEAST_H

#include "rows/columns.h"

/* Returns the figure that SIZE is compared with: the column that rows are sorted by, or if
 * that is not in bytes, the usual one of the command. */
enum gpm_figure gpm_least_of(unsigned sort, enum gpm_figure usual);
/* Returns whether a row with that value is hidden. known: the figure applies to the row. A `least`
 * of 0 hides no row. */
bool gpm_least_hides(uint64_t least, enum gpm_figure figure, bool known, int64_t value);

#endif
