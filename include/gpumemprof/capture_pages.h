/* capture_pages.h - a part of capture.h: which pages of a block kernels used (uses=pages of the
 * plugin, with uses=on).
 *
 * The records of a block are written when it is freed, and at exit for those that are live then.
 * Together they cover its pages in order: those of 4 KiB that it shares a byte with, from the one
 * in which it begins.
 */
#ifndef GPUMEMPROF_CAPTURE_PAGES_H
#define GPUMEMPROF_CAPTURE_PAGES_H

#include "gpumemprof/capture.h"
#include "gpumemprof/pages.h"

/* Pages of one block that follow each other and are in the same state. The block is the one whose
 * allocation was at this clock. */
struct gpumemprof_capture_pages {
  uint64_t address;   /* of the block */
  uint64_t allocated; /* clock of its allocation */
  /* The allocation clock when a kernel that used one of them was launched, or a later one; it is
   * not above GPUMEMPROF_PAGE_LAST_CLOCK. Of pages that no kernel used: 0. */
  uint64_t last;
  uint32_t first; /* from 0 */
  uint32_t pages; /* how many */
  uint16_t flags; /* GPUMEMPROF_PAGE_READ, WRITTEN, and the flag below; the same in all records of a
                   * block but for READ and WRITTEN */
  uint16_t device; /* record of DEVICES */
  uint32_t reserved;
};
_Static_assert(sizeof(struct gpumemprof_capture_pages) == 40, "pages layout");
/* While the block was live, kernels ran whose accesses are not all seen, so it may have been used
 * otherwise as well. */
#define GPUMEMPROF_PAGE_UNSEEN 4u

#endif /* GPUMEMPROF_CAPTURE_PAGES_H */
