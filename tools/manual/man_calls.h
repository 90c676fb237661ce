/* man_calls.h - the manual page gpumemprof(3), made from the headers of a folder. */
#ifndef GPM_TOOLS_MAN_CALLS_H
#define GPM_TOOLS_MAN_CALLS_H

#include <stdbool.h>

/* On stdout. False: `missing` is the header that cannot be read, to be freed; errno says why. */
bool gpm_man_calls(const char *folder, char **missing);

#endif
