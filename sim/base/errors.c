/* errors.c - names and texts of errors, from errors.def. */
#include "base/errors.h"

struct error {
  int value;
  const char *runtime, *driver, *text;
};

static const struct error errors[] = {
#define GPM_SIM_ERROR(value, runtime, driver, text) {value, #runtime, #driver, text},
#define GPM_SIM_RUNTIME_ERROR(value, runtime, text) {value, #runtime, 0, text},
#define GPM_SIM_DRIVER_ERROR(value, driver, text) {value, 0, #driver, text},
#include "gpumemprof_sim/errors.def"
};

static const struct error *find(int value, bool runtime) {
  for (unsigned i = 0; i < sizeof errors / sizeof errors[0]; i++)
    if (errors[i].value == value && (runtime ? errors[i].runtime : errors[i].driver))
      return &errors[i];
  return 0;
}

const char *gpm_sim_error_name(int value, bool runtime) {
  const struct error *error = find(value, runtime);
  return error ? runtime ? error->runtime : error->driver : 0;
}

const char *gpm_sim_error_text(int value, bool runtime) {
  const struct error *error = find(value, runtime);
  return error ? error->text : 0;
}
