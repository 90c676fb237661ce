/* page_blocks.h - the blocks of a run for the page: the most important ones one by one, and all
 * others as sums by cell and part of the run (docs/PAGE.md calls these the rest).
 *
 * Every block is in exactly one of the two, so that both together are what was live at each of the
 * tracks' moments. Memory is bounded by how many blocks a page holds, by cells and by parts.
 */
#ifndef GPM_TOOLS_PAGE_BLOCKS_H
#define GPM_TOOLS_PAGE_BLOCKS_H

#include "page/page_tracks.h"
#include "support/largest.h"
#include "support/map.h"

/* For a page of the usual size, so that the viewer is responsive; a larger one may hold more. */
#define GPM_PAGE_BLOCKS 500000u

struct gpm_page_block {
  uint64_t bytes, padding, address, time_ns;
  uint64_t age_ns;     /* to its free, or to the latest event */
  uint32_t start, end; /* clock; GPUMEMPROF_NONE: live at the end */
  uint32_t cell, pair; /* pair NONE: not freed, or it is not known where */
  uint32_t generation, thread;
};

/* The blocks that are not in the page one by one. Cells and pairs have the numbers of their
 * records, because it is not known yet which of them the page has. */
struct gpm_page_rest {
  uint64_t blocks; /* blocks that are not kept */
  /* (cell, part, whether the tick is behind the part's highest moment) -> what the cell has more
   * from there on; modulo 2^64. */
  struct gpm_map change;
  struct gpm_page_change *waiting; /* changes of parts that have not ended, so that their highest
                                      moment may still change */
  size_t waiting_count, waiting_room;
};

struct gpm_page_blocks {
  struct gpm_page_tracks *tracks;
  struct gpm_largest kept; /* in no order */
  uint64_t seen;
  struct gpm_page_rest rest;
  uint64_t *peak; /* by device: the tick of its peak, as far as that is known */
};

/* The listener receives lifetimes from a walk. `tracks` has to listen to the same walk after it, or
 * to be complete from an earlier one, and has to outlive the blocks. Blocks that were live at a
 * device's peak are kept first. The tick of the peak is known only at the end; until then the one
 * in the capture's sums is used. */
struct gpm_listener gpm_page_blocks_listen(struct gpm_page_blocks *blocks,
                                           struct gpm_page_tracks *tracks);
/* Corrects the weights of the kept blocks after the walk, if a device had its peak at another
 * moment than was assumed. Returns false if blocks were already left out by those weights. Then the
 * blocks have to be made a second time, with `tracks` complete. */
bool gpm_page_blocks_correct(struct gpm_page_blocks *blocks);

/* What the blocks that are not kept hold, by cell of the page and by part; the caller frees it. */
struct gpm_page_change_of_part {
  uint32_t cell, part; /* part: `parts`: behind the last */
  int64_t bytes;
};
struct gpm_page_change_of_part *gpm_page_blocks_rest(const struct gpm_page_blocks *blocks,
                                                     size_t *count);
/* Moves the blocks that cover the least of the picture to the rest, until this many are kept. */
void gpm_page_blocks_shrink(struct gpm_page_blocks *blocks, size_t most);
void gpm_page_blocks_free(struct gpm_page_blocks *blocks);

#endif
