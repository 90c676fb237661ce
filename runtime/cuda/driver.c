/* driver.c - see driver.h. */
#include "cuda/driver.h"
#include "base/compiler.h"
#include "base/loaded.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>

#define DRIVER "libcuda.so.1"

static const char *const driver_names[] = {
#define GPM_DRIVER_NAME(name, parameters) #name,
    GPM_DRIVER_FUNCTIONS(GPM_DRIVER_NAME)};
enum { DRIVER_NAMES = sizeof driver_names / sizeof *driver_names };

/* Each set is written once, before it is used: threads that find the driver at the same time write
 * one each. */
#define SETS 16u
static union driver_set {
  struct gpm_driver functions;
  void *addresses[DRIVER_NAMES];
} sets[SETS];
_Static_assert(sizeof sets[0] == sizeof sets[0].functions, "as many names as members");

static const struct gpm_driver no_functions;
static _Atomic unsigned sets_used;
static const struct gpm_driver *_Atomic in_use = &no_functions;
/* The value of gpm_loaded_changes when the process had no driver. */
static _Atomic uint64_t in_vain;

static GPM_COLD void find_driver(void) {
  uint64_t changes = gpm_loaded_changes();
  if (changes && changes == atomic_load(&in_vain)) return;
  union driver_set found;
  if (!gpm_loaded_functions(DRIVER, driver_names, found.addresses, DRIVER_NAMES)) {
    atomic_store(&in_vain, changes);
    return;
  }
  const struct gpm_driver *none = &no_functions;
  unsigned i = atomic_fetch_add(&sets_used, 1);
  if (i >= SETS) return;
  sets[i] = found;
  atomic_compare_exchange_strong(&in_use, &none, &sets[i].functions);
}

const struct gpm_driver *gpm_driver(void) {
  if (GPM_UNLIKELY(atomic_load_explicit(&in_use, memory_order_acquire) == &no_functions))
    find_driver();
  return atomic_load_explicit(&in_use, memory_order_acquire);
}

const struct gpm_driver *gpm_driver_begin(void) {
  const struct gpm_driver *driver = gpm_driver();
  if (!driver->cuInit && dlopen(DRIVER, RTLD_NOW)) driver = gpm_driver(); /* it stays loaded */
  if (driver->cuInit) driver->cuInit(0);
  return driver;
}

bool gpm_driver_functions(const char *const *names, void **functions, size_t count) {
  return gpm_loaded_functions(DRIVER, names, functions, count);
}

void gpm_driver_stay(void) {
  static _Atomic bool stays;
  if (atomic_load(&stays) || !gpm_driver()->cuInit) return;
  int saved = errno;
  if (dlopen(DRIVER, RTLD_NOLOAD | RTLD_LAZY)) atomic_store(&stays, true); /* never closed */
  errno = saved;
}
