/* errors.h - the error numbers, which both APIs share, and their names and texts. */
#ifndef GPUMEMPROF_SIM_ERRORS_H
#define GPUMEMPROF_SIM_ERRORS_H

#include <stdbool.h>

/* Error numbers that the rooms below the two APIs answer with
 * (sim/include/gpumemprof_sim/errors.def has them all). */
enum gpm_sim_error {
  GPM_SIM_OK = 0,
  GPM_SIM_INVALID_VALUE = 1,
  GPM_SIM_OUT_OF_MEMORY = 2,
  GPM_SIM_NOT_INITIALIZED = 3,
  GPM_SIM_INVALID_SYMBOL = 13,
  GPM_SIM_NO_DEVICE = 100,
  GPM_SIM_INVALID_DEVICE = 101,
  GPM_SIM_INVALID_CONTEXT = 201,
  GPM_SIM_INVALID_HANDLE = 400,
  GPM_SIM_NOT_FOUND = 500,
  GPM_SIM_PEER_ENABLED = 704,
  GPM_SIM_PEER_NOT_ENABLED = 705,
  GPM_SIM_ALREADY_REGISTERED = 712,
  GPM_SIM_NOT_REGISTERED = 713,
  GPM_SIM_NOT_SUPPORTED = 801
};

const char *gpm_sim_error_name(int error, bool runtime); /* null: unknown */
const char *gpm_sim_error_text(int error, bool runtime);

#endif /* GPUMEMPROF_SIM_ERRORS_H */
