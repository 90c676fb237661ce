/* stay.h - the code of the runtime stays mapped: see stay.c. */
#ifndef GPM_STAY_H
#define GPM_STAY_H

/* The runtime's code stays when the library that holds it as an archive is closed: others call it.
 * By a thread that is not busy. */
void gpm_stay(void);

#endif /* GPM_STAY_H */
