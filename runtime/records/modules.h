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
/* Whether one of them has a site there. True where there is none: tests make sites of their own. */
bool gpm_modules_have_site(const void *site);
bool gpm_modules_hold(const void *site); /* in a table of one; the address may be anything */
/* Whether the object that holds the site takes the function of this hash for harmless. */
bool gpm_modules_assume(const void *site, uint32_t name);
/* The FUNCTION with this linkage name as its link, in the object of the call; null: none. */
const struct gpumemprof_site *gpm_modules_find_function(const struct gpumemprof_site *call,
                                                        const char *linkage_name);
bool gpm_modules_are_in(uintptr_t begin, uintptr_t end); /* one that registered */

/* An object came, or goes; registration.c has the calls of its constructor and destructor. */
void gpm_modules_add(struct gpumemprof_module *module);
void gpm_modules_record(const struct gpumemprof_module *module); /* into the capture */
void gpm_modules_remove(const struct gpumemprof_module *module);

#endif /* GPM_MODULES_H */
