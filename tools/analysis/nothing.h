/* nothing.h - why a capture may have no figures, and what to check then. Called by `check`, by the
 * commands whose tables are empty, and by pages. */
#ifndef GPM_TOOLS_NOTHING_H
#define GPM_TOOLS_NOTHING_H

#include "model/profile.h"

/* Returns a sentence that says what was not recorded and what to check; null if there are call
 * paths. The text is static. */
const char *gpm_nothing_why(const struct gpm_profile *profile);

#endif
