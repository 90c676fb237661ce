/* wrappers.h - memory of allocation wrappers is the caller's: `--wrappers hide`. Called by
 * command.c when a capture was opened.
 *
 *   main:9 -> make_vec:4 -> Vec:2 -> cudaMalloc      main:9 has the memory, "via make_vec"
 *
 * The plugin marks calls that allocate for the caller of their function
 * (GPUMEMPROF_SITE_FOR_CALLER). What is allocated there belongs to the call that the function was
 * called by, unless that is marked, too.
 */
#ifndef GPM_TOOLS_WRAPPERS_H
#define GPM_TOOLS_WRAPPERS_H

#include "capture/reader.h"

/* Moves what wrappers allocated, and failed to, to the nodes of those calls, and marks their sites
 * in reader->via. Sums stay what they are. */
void gpm_wrappers_hide(struct gpm_reader *reader);
/* Whether memory of wrappers was moved to the calls of the site. */
static inline bool gpm_wrappers_is_via(const struct gpm_reader *reader, uint32_t site) {
  return reader->via && site != GPUMEMPROF_NONE && reader->via[site];
}

#endif
