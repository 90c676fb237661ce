/* builtin_types.h - kept by name for programs that include it; host code finds all it needs in
 * driver_types.h. */
#ifndef GPUMEMPROF_SIM_BUILTIN_TYPES_H
#define GPUMEMPROF_SIM_BUILTIN_TYPES_H

#include "driver_types.h"

#endif /* GPUMEMPROF_SIM_BUILTIN_TYPES_H */
