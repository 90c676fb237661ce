/* injection.h - a library that the environment puts into the process: see injection.c. */
#ifndef GPUMEMPROF_SIM_INJECTION_H
#define GPUMEMPROF_SIM_INJECTION_H

/* Loads it at the first call. Without the lock, because it may call CUDA, also from its threads. */
void gpm_sim_inject(void);

#endif /* GPUMEMPROF_SIM_INJECTION_H */
