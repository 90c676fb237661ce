/* device_functions.h - gpumemprof_host_only.h declares what the toolkit has here. */
#ifndef GPUMEMPROF_SIM_DEVICE_FUNCTIONS_H
#define GPUMEMPROF_SIM_DEVICE_FUNCTIONS_H

#include "gpumemprof_host_only.h"

#endif /* GPUMEMPROF_SIM_DEVICE_FUNCTIONS_H */
