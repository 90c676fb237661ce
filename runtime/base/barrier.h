/* barrier.h - a memory barrier in every running thread of the process: see barrier.c. */
#ifndef GPM_BARRIER_H
#define GPM_BARRIER_H

#include <stdbool.h>

/* Registers the process with the kernel. This is called early, because it takes milliseconds once a
 * process has other threads. */
void gpm_barrier_start(void);
/* Makes every running thread pass a full barrier. False: the kernel does not support that. */
bool gpm_barrier(void);

#endif /* GPM_BARRIER_H */
