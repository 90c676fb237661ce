/* run_values.h - values of options, checked before the program starts as the runtime does it
 * (runtime/options/values.c). */
#ifndef GPM_TOOLS_RUN_VALUES_H
#define GPM_TOOLS_RUN_VALUES_H

#include <stdbool.h>

/* The number of a signal that may make dumps; 0: the name is of none. */
int gpm_run_values_signal(const char *name);
bool gpm_run_values_is_dump(const char *text);   /* signal:USR2,every:10s */
bool gpm_run_values_are_ranks(const char *text); /* 0,3,8-11, or all */

#endif
