/* resident.h - the resident memory of the process, in bytes: see resident.c. */
#ifndef GPM_RESIDENT_H
#define GPM_RESIDENT_H

#include <stdint.h>

uint64_t gpm_resident_bytes(void); /* returns 0 if it cannot be read */

#endif /* GPM_RESIDENT_H */
