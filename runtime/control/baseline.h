/* baseline.h - a reset of the figures: see baseline.c.
 *
 * The program asks for it (gpumemprof_reset), and so do files of the runtime on its behalf.
 */
#ifndef GPM_BASELINE_H
#define GPM_BASELINE_H

#include <stdint.h>

/* The calling thread is busy and holds no lock. */
void gpm_baseline_set(void);

/* Returns twice the number of resets, plus 1 while one is under way. */
uint64_t gpm_baseline_number(void);

#endif /* GPM_BASELINE_H */
