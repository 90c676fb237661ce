/* stubs.c - functions of CUPTI that are not simulated. They exist so that every program starts. */
#include "base/options.h"
#include "cupti_api/cupti.h"

#define GPM_CUPTI_STUB(symbol)                                                                     \
  int symbol(void);                                                                                \
  int symbol(void) {                                                                               \
    gpm_sim_unsupported(#symbol);                                                                  \
    return CUPTI_ERROR_NOT_SUPPORTED;                                                              \
  }
#include "cupti_api/names.def"
