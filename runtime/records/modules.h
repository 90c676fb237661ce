/* modules.h - the objects of the process that the plugin compiled: see modules.c.
 */
#ifndef GPM_MODULES_H
#define GPM_MODULES_H

#include "gpumemprof/hooks.h"

#include <stdbool.h>
#include <stdint.h>

void gpm_modules_record_all(void); /* names every registered object in a new capture */
void gpm_modules_forked(void);
void gpm_modules_start(void); /* once per program */
bool gpm_modules_any(void);   /* whether an object has registered */
/* Whether an object has a site at this address. True when no object has registered, because tests
 * make sites of their own. */
bool gpm_modules_have_site(const void *site);
/* Whether a table of sites has this address, which may be any. */
bool gpm_modules_hold(const void *site);
/* Whether the object that holds the site assumes the function with this hash to be harmless. */
bool gpm_modules_assume(const void *site, uint32_t name);
/* The site of kind FUNCTION whose link is this linkage name, in the object of the call; null:
 * none. */
const struct gpumemprof_site *gpm_modules_find_function(const struct gpumemprof_site *call,
                                                        const char *linkage_name);
/* The kernel that launches pass as this function, in any object; null: none. Valid as long as the
 * object is mapped. */
const struct gpumemprof_kernel *gpm_modules_find_kernel(const void *function);
/* Whether a registered object lies in [begin, end). */
bool gpm_modules_are_in(uintptr_t begin, uintptr_t end);
struct gpm_code_range {
  uintptr_t begin, end;
};
/* Where the thunks of the object in [begin, end) are, which may have none. False: not known, as in
 * objects of older plugins. */
bool gpm_modules_thunks(uintptr_t begin, uintptr_t end, struct gpm_code_range *thunks);

/* An object was loaded, or is unloaded; registration.c is called by its constructor and
 * destructor. */
void gpm_modules_add(struct gpumemprof_module *module);
void gpm_modules_record(const struct gpumemprof_module *module); /* into the capture */
void gpm_modules_remove(const struct gpumemprof_module *module);

#endif /* GPM_MODULES_H */
