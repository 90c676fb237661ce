/* man_calls.h - the manual page gpumemprof(3), made from the headers of a folder. */
#ifndef GPM_TOOLS_MAN_CALLS_H
#define GPM_TOOLS_MAN_CALLS_H

#include <stdbool.h>

/* Prints the page on stdout. Returns false if a header cannot be read: then `missing` is its path,
 * which the caller frees, and errno says why. */
bool gpm_man_calls(const char *folder, char **missing);

#endif
