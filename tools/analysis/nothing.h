/* nothing.h - why a capture may tell nothing, and what to check then. Asked by `check`, by the
 * commands whose tables are empty, and by pages. */
#ifndef GPM_TOOLS_NOTHING_H
#define GPM_TOOLS_NOTHING_H

#include "model/profile.h"

/* A sentence of what was not recorded, and what to check; null where there are call paths. Static.
 */
const char *gpm_nothing_why(const struct gpm_profile *profile);

#endif
