/* driver.c - see driver.h. */
#include "driver.h"

#include "runtime.h"

#include <dlfcn.h>

static struct gpm_driver functions;
static _Atomic bool driver_found;
static _Atomic unsigned attempts; /* in vain: where CUDA is in use, its driver is loaded */
#define MOST_ATTEMPTS 8u

/* Threads that come at once write the same. A signal handler may come here that interrupted malloc,
 * which dlopen calls: mostly the driver is among the program's libraries and needs none. */
static GPM_COLD void find_driver(void) {
  bool global = dlsym(RTLD_DEFAULT, "cuDriverGetVersion") != NULL;
  void *library = global ? RTLD_DEFAULT : dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
  if (!global && !library) return;
#define GPM_DRIVER_FIND(name, parameters) *(void **)(void *)&functions.name = dlsym(library, #name);
  GPM_DRIVER_FUNCTIONS(GPM_DRIVER_FIND)
  if (!global) dlclose(library);
  atomic_store(&driver_found, true);
}

const struct gpm_driver *gpm_driver(void) {
  if (GPM_UNLIKELY(!atomic_load(&driver_found)) && atomic_load(&attempts) < MOST_ATTEMPTS) {
    atomic_fetch_add(&attempts, 1);
    find_driver();
  }
  return &functions;
}

const struct gpm_driver *gpm_driver_needed(void) {
  if (GPM_UNLIKELY(!atomic_load(&driver_found))) {
    find_driver();
    if (atomic_load(&driver_found)) gpm_modules_ask_again(); /* it may be new */
  }
  return &functions;
}
