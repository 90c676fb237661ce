/* stubs.c - entry points of the driver API that are not simulated. They exist so that every program
 * starts, and return "operation not supported". They are weak, so that the file that simulates a
 * function takes the place of its stub.
 */
#include "base/options.h"

#define GPM_CU(symbol)                                                                             \
  int symbol(void);                                                                                \
  __attribute__((weak)) int symbol(void) {                                                         \
    return gpm_sim_unsupported(#symbol);                                                           \
  }
#include "driver_api/names.def"
