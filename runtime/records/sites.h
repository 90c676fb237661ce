/* sites.h - the sites of a program, interned by content: see sites.c. Under gpm_tree_lock.
 */
#ifndef GPM_SITES_H
#define GPM_SITES_H

#include "gpumemprof/capture.h"
#include "gpumemprof/hooks.h"

#include <stddef.h>

/* The id of the site at an address, which the plugin or a block made; GPUMEMPROF_NONE when there is
 * no room. */
uint32_t gpm_sites_intern(const void *site);
struct gpumemprof_capture_line *gpm_sites_line(uint32_t site); /* null for scopes */
const struct gpumemprof_capture_site *gpm_sites_record(uint32_t site);
uint32_t gpm_sites_line_count(void);
void gpm_sites_forget(const void *begin, const void *end);
void gpm_sites_reset(void);                            /* in a forked child */
extern const struct gpumemprof_site gpm_sites_unknown; /* stands for code that was not rebuilt */
/* The text of a field of a site; null: it has none. */
static inline const char *gpm_sites_text(const int32_t *field) {
  return *field ? (const char *)field + *field : NULL;
}

/* The operands of a call's site; null: it has none. */
static inline struct gpumemprof_operands *gpm_operands_at(const void *call) {
  const struct gpumemprof_site *site = call;
  if (site->kind != GPUMEMPROF_SITE_CALL || !site->operands) return NULL;
  return (struct gpumemprof_operands *)((uintptr_t)&site->operands + (uintptr_t)site->operands);
}

#endif /* GPM_SITES_H */
