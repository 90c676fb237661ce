/* page_paths.h - which call paths a page has, and the numbers in it of nodes, cells and pairs.
 *
 * A page has all of them where they fit. Else it has the nodes that held or allocated most (an
 * ancestor never has less than a node below it). The figures of a node that is left out are added
 * to its nearest ancestor in the page: `self_alloc` and the other figures of self include them, so
 * that sums equal those of the reports. page.c makes them, page_tree.c writes them.
 */
#ifndef GPM_TOOLS_PAGE_PATHS_H
#define GPM_TOOLS_PAGE_PATHS_H

#include "rows/rows.h"

/* Maps records to their numbers in the page. */
struct gpm_page_numbers {
  uint32_t count;   /* in the page */
  uint32_t *record; /* by number: the first record of it */
  uint32_t *number; /* by record */
};

struct gpm_page_paths {
  bool all; /* nothing is left out, and numbers equal those of the records */
  struct gpm_page_numbers nodes, cells, pairs;
  struct gpm_rows
      rows; /* by number of a node; if not `all`, one more row follows, which is no node's */
  uint64_t at_peak, allocated, escaped; /* of all, the inclusive figures of the root */
};

/* Keeps at most this many nodes. */
void gpm_page_paths_make(struct gpm_page_paths *paths, const struct gpm_profile *profile,
                         uint32_t most);
void gpm_page_paths_free(struct gpm_page_paths *paths);

#endif
