/* stay.h - the code of the runtime stays mapped: see stay.c. */
#ifndef GPM_STAY_H
#define GPM_STAY_H

/* Keeps the runtime's code mapped when the library that holds it as an archive is closed, because
 * other libraries call it. Called by a thread that is not busy. */
void gpm_stay(void);

#endif /* GPM_STAY_H */
