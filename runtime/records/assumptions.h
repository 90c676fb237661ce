/* assumptions.h - functions that files were compiled to take for harmless, and in which memory
 * moves: see assumptions.c.
 */
#ifndef GPM_ASSUMPTIONS_H
#define GPM_ASSUMPTIONS_H

#include "gpumemprof/hooks.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_node;
struct gpm_suspect;
/* An object registered, or a capture begins; `all` are linked as in modules.c. Under its lock. */
void gpm_assumptions_compare(const struct gpumemprof_module *module,
                             const struct gpumemprof_module *all);
void gpm_assumptions_resolve(void); /* then: asks the loader whom a name means, so under no lock */
void gpm_assumptions_forget(const void *begin, const void *end); /* an object goes */
bool gpm_assumptions_any(void);
/* Memory moves on a new path below a call, in the scope `site`, whose record is `scope`. What is
 * left to be said, once the tree lock is released, or null. */
struct gpm_suspect *gpm_assumptions_moved(const struct gpm_node *call, uint32_t scope,
                                          const void *site);
/* Whether the object takes the function of this hash for harmless. */
bool gpm_assumptions_of(const struct gpumemprof_module *module, uint32_t name);
void gpm_assumptions_say(const struct gpm_suspect *suspect);

#endif /* GPM_ASSUMPTIONS_H */
