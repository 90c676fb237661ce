/* sm_60_atomic_functions.h - gpumemprof_host_only.h declares what the toolkit has here. */
#ifndef GPUMEMPROF_SIM_SM_60_ATOMIC_FUNCTIONS_H
#define GPUMEMPROF_SIM_SM_60_ATOMIC_FUNCTIONS_H

#include "gpumemprof_host_only.h"

#endif /* GPUMEMPROF_SIM_SM_60_ATOMIC_FUNCTIONS_H */
