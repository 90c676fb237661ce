/* stubs.c - entry points of the driver API that are not simulated. They exist so that every program
 * starts, and return "operation not supported".
 */
#include "base/base.h"

#define GPM_CU(symbol)
#define GPM_CU_STUB(symbol)                                                                        \
  int symbol(void);                                                                                \
  int symbol(void) {                                                                               \
    return gpm_sim_unsupported(#symbol);                                                           \
  }
#include "driver_api/names.def"
