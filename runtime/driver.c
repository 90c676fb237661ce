/* driver.c - see driver.h. */
#include "driver.h"

#include "runtime.h"

#include <dlfcn.h>

static struct gpm_driver functions; /* written once, before driver_found */
static const struct gpm_driver no_functions;
static _Atomic bool driver_found, driver_written;
static _Atomic unsigned attempts; /* in vain: where CUDA is in use, its driver is loaded */
#define MOST_ATTEMPTS 8u

/* Of threads that come at once one writes; the others, and a signal handler in between, have none
 * for that moment. A handler may come here that interrupted malloc, which dlopen calls: mostly the
 * driver is among the program's libraries and needs none. */
static GPM_COLD void find_driver(void) {
  bool global = dlsym(RTLD_DEFAULT, "cuDriverGetVersion") != NULL;
  void *library = global ? RTLD_DEFAULT : dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
  if (!global && !library) return;
  struct gpm_driver found;
#define GPM_DRIVER_FIND(name, parameters) *(void **)(void *)&found.name = dlsym(library, #name);
  GPM_DRIVER_FUNCTIONS(GPM_DRIVER_FIND)
  if (!global) dlclose(library);
  if (atomic_exchange(&driver_written, true)) return;
  functions = found;
  atomic_store(&driver_found, true);
}

static const struct gpm_driver *as_found(void) {
  return GPM_LIKELY(atomic_load(&driver_found)) ? &functions : &no_functions;
}

const struct gpm_driver *gpm_driver(void) {
  if (GPM_UNLIKELY(!atomic_load(&driver_found)) && atomic_load(&attempts) < MOST_ATTEMPTS) {
    atomic_fetch_add(&attempts, 1);
    find_driver();
  }
  return as_found();
}

const struct gpm_driver *gpm_driver_needed(void) {
  if (GPM_UNLIKELY(!atomic_load(&driver_found))) {
    find_driver();
    if (atomic_load(&driver_found)) gpm_modules_ask_again(); /* it may be new */
  }
  return as_found();
}
