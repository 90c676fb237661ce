/* made_sites.h - sites that the compiler did not describe: see made_sites.c.
 */
#ifndef GPM_MADE_SITES_H
#define GPM_MADE_SITES_H

#include "gpumemprof/hooks.h"

#include <stdint.h>

struct gpm_source_location { /* fields as in struct gpumemprof_site; texts are copied, null: none */
  uint16_t kind, flags;
  uint32_t line;
  uint32_t column;
  const char *file, *function, *callee, *variable, *type, *size_expr, *source_line;
};
/* The site with these contents, which is never freed and is the same for equal contents. Never
 * null. Any thread. */
const struct gpumemprof_site *gpm_sites_make(const struct gpm_source_location *location);
/* A copy of a site that may be unloaded, under the same rules. */
const struct gpumemprof_site *gpm_sites_copy(const struct gpumemprof_site *site);
/* The site of a block; texts are copied, and null is the empty text. Returns null when there is no
 * memory. */
const struct gpumemprof_block_site *gpm_sites_make_block(const char *name, const char *file,
                                                         const char *function, uint32_t line);
/* The line on which such a block begins, as a call site: events in the block are charged to it when
 * no function around it was rebuilt. Null: the block was not made here. */
const struct gpumemprof_site *gpm_sites_block_line(const void *block);
void gpm_sites_made_forked(void);

#endif /* GPM_MADE_SITES_H */
