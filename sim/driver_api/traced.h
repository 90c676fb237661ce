/* traced.h - the driver's functions as the runtime API calls them: gpm_sim_cuMemAlloc_v2 is
 * cuMemAlloc_v2 of this library, whatever library or program before it has that name, too. The real
 * runtime API finds the driver's functions by dlsym.
 */
#ifndef GPUMEMPROF_SIM_TRACED_H
#define GPUMEMPROF_SIM_TRACED_H

#include "driver_api/older.h"

#define GPM_CU_TRACED(name, number, implementation, ...)                                           \
  extern __typeof__(implementation) gpm_sim_##name;
#include "driver_api/traced.def"

#endif /* GPUMEMPROF_SIM_TRACED_H */
