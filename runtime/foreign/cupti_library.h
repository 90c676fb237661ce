/* cupti_library.h - where libcupti is: see cupti_library.c.
 */
#ifndef GPM_CUPTI_LIBRARY_H
#define GPM_CUPTI_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

enum { CUPTI_PLACES = 7 }; /* in which it may be, the best one first */

/* Loads the library of a place, for good; only one with a version in its name, if asked. Null:
 * there is none. By a thread that is not busy. */
void *gpm_cupti_library(size_t place, bool one_with_version);
/* Whether the program has loaded CUPTI for itself. If this runtime took the only subscription,
 * calls of the program would fail. */
bool gpm_cupti_is_loaded(void);

#endif /* GPM_CUPTI_LIBRARY_H */
