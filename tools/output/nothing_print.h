/* nothing_print.h - prints a sentence in place of a table without rows (nothing.h). */
#ifndef GPM_TOOLS_NOTHING_PRINT_H
#define GPM_TOOLS_NOTHING_PRINT_H

#include "analysis/nothing.h"

/* Prints `what`, such as "nothing was allocated or freed", and why. */
void gpm_nothing_print(const struct gpm_profile *profile, const char *what);

#endif
