/* nothing_print.h - what stands in place of a table without rows (nothing.h). */
#ifndef GPM_TOOLS_NOTHING_PRINT_H
#define GPM_TOOLS_NOTHING_PRINT_H

#include "analysis/nothing.h"

/* An empty table: "nothing was allocated or freed", and why. `what` is that sentence. */
void gpm_nothing_print(const struct gpm_profile *profile, const char *what);

#endif
