/* device_launch_parameters.h - kept by name for programs that include it; host code finds all it
 * needs in vector_types.h. */
#ifndef GPUMEMPROF_SIM_DEVICE_LAUNCH_PARAMETERS_H
#define GPUMEMPROF_SIM_DEVICE_LAUNCH_PARAMETERS_H

#include "vector_types.h"

#endif /* GPUMEMPROF_SIM_DEVICE_LAUNCH_PARAMETERS_H */
