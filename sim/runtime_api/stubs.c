/* stubs.c - entry points of the runtime API that are not simulated. They exist so that every
 * program starts, and return "operation not supported".
 */
#include "base/lock.h"
#include "base/options.h"

#define GPM_CUDART_STUB(symbol)                                                                    \
  int symbol(void);                                                                                \
  int symbol(void) {                                                                               \
    return gpm_sim_thread()->last_error = gpm_sim_unsupported(#symbol);                            \
  }
#include "runtime_api/names.def"
