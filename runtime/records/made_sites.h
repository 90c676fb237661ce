/* made_sites.h - sites of places that no compiler described: see made_sites.c.
 */
#ifndef GPM_MADE_SITES_H
#define GPM_MADE_SITES_H

#include "gpumemprof/hooks.h"

#include <stdint.h>

struct gpm_place { /* as struct gpumemprof_site; null: none. Borrowed, texts are copied */
  uint16_t kind, flags;
  uint32_t line;
  uint32_t column;
  const char *file, *function, *callee, *variable, *type, *size_expr, *source_line;
};
/* The site of a place: stays, and is the same for equal contents. Never null. Any thread. */
const struct gpumemprof_site *gpm_sites_make(const struct gpm_place *place);
/* The same for a site that may be unloaded. */
const struct gpumemprof_site *gpm_sites_copy(const struct gpumemprof_site *site);
/* Of a block; texts are copied, null: none. Null: no room. */
const struct gpumemprof_block_site *gpm_sites_make_block(const char *name, const char *file,
                                                         const char *function, uint32_t line);
/* Where such a block begins, as a call: the line of what happens in it when no function around it
 * was rebuilt. Null: it is not one of those. */
const struct gpumemprof_site *gpm_sites_block_line(const void *block);
void gpm_sites_made_forked(void);

#endif /* GPM_MADE_SITES_H */
