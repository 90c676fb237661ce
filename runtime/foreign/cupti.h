/* cupti.h - what prebuilt libraries allocate (cupti=on): see cupti.c.
 */
#ifndef GPM_CUPTI_H
#define GPM_CUPTI_H

void gpm_cupti_start(void); /* once; by a thread that is not busy */

#endif /* GPM_CUPTI_H */
