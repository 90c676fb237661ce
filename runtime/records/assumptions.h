/* assumptions.h - functions that files were compiled to assume to be harmless, but in which memory
 * moves: see assumptions.c.
 */
#ifndef GPM_ASSUMPTIONS_H
#define GPM_ASSUMPTIONS_H

#include "gpumemprof/hooks.h"

#include <stdbool.h>
#include <stdint.h>

struct gpm_node;
struct gpm_suspect;
/* Called when an object has registered or a capture begins. `all` is the list of modules.c, whose
 * lock is held. */
void gpm_assumptions_compare(const struct gpumemprof_module *module,
                             const struct gpumemprof_module *all);
/* Called afterwards. It asks the loader what a name means, so no lock may be held. */
void gpm_assumptions_resolve(void);
void gpm_assumptions_forget(const void *begin, const void *end); /* an object is unloaded */
bool gpm_assumptions_any(void);
/* Memory moves on a new path below a call, in the scope `site`, whose record is `scope`. Returns a
 * suspect to be passed to gpm_assumptions_say once the tree lock is released, or null. */
struct gpm_suspect *gpm_assumptions_moved(const struct gpm_node *call, uint32_t scope,
                                          const void *site);
/* Whether the object assumes the function with this hash to be harmless. */
bool gpm_assumptions_of(const struct gpumemprof_module *module, uint32_t name);
void gpm_assumptions_say(const struct gpm_suspect *suspect);

#endif /* GPM_ASSUMPTIONS_H */
