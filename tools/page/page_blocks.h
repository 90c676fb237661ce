/* page_blocks.h - the blocks of a run for the page: those that matter one by one, what is left of
 * them as sums by cell and part of the run, the rest of docs/PAGE.md.
 *
 * Every block is in exactly one of the two, so that both together are what was live at each of the
 * tracks' moments. Memory is bounded by how many blocks a page holds, by cells and by parts.
 */
#ifndef GPM_TOOLS_PAGE_BLOCKS_H
#define GPM_TOOLS_PAGE_BLOCKS_H

#include "page/page_tracks.h"
#include "support/largest.h"

/* In a page of the usual size, so that it stays fluid; a larger page may hold more. */
#define GPM_PAGE_BLOCKS 500000u

struct gpm_page_block {
  uint64_t bytes, padding, address, time_ns;
  uint64_t age_ns;     /* to its free, or to the latest event */
  uint32_t start, end; /* clock; GPUMEMPROF_NONE: live at the end */
  uint32_t cell, pair; /* pair NONE: not freed, or nobody knows where */
  uint32_t lives, thread;
};

struct gpm_page_rest {
  uint64_t blocks;  /* that are not kept */
  int64_t **change; /* by cell: null, or for each part what it has more than the part before; one
                     * entry more than parts */
};

struct gpm_page_blocks {
  const struct gpm_page_tracks *tracks;
  struct gpm_largest kept; /* in no order */
  uint64_t seen;
  struct gpm_page_rest rest;
  uint32_t *device; /* by cell: record */
};

/* From the events; tracks has to stay. False after it said what is wrong. */
bool gpm_page_blocks_make(struct gpm_page_blocks *blocks, const struct gpm_page_tracks *tracks);
/* Puts those that cover least of the picture to the rest, until so many are kept. */
void gpm_page_blocks_shrink(struct gpm_page_blocks *blocks, size_t most);
void gpm_page_blocks_free(struct gpm_page_blocks *blocks);

#endif
