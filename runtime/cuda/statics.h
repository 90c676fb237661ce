/* statics.h - __device__, __constant__ and __managed__ variables of the program. */
#ifndef GPM_STATICS_H
#define GPM_STATICS_H

#include <stdbool.h>

/* Whether there are __managed__ variables. */
bool gpm_statics_are_managed(void);

#endif /* GPM_STATICS_H */
