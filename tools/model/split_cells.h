/* split_cells.h - the description of cells that were split by their events (events/split.h): which
 * part each cell is, and whether its figures are of a part of the run. For the code that adds up
 * cells; events/split.c fills it.
 */
#ifndef GPM_TOOLS_SPLIT_CELLS_H
#define GPM_TOOLS_SPLIT_CELLS_H

#include "model/grouping.h"
#include "model/window.h"

enum gpm_split_flag {
  GPM_SPLIT_KNOWN = 1,  /* a part that events describe, not the rest */
  GPM_SPLIT_OLDER = 2,  /* of blocks older than the window: `allocated` counts these */
  GPM_SPLIT_OUTSIDE = 4 /* of blocks that a pattern of sizes leaves out */
};

struct gpm_split {
  enum gpm_by by;   /* SIZE, THREAD, or COUNT for neither */
  uint32_t *key;    /* by cell: a class of sizes.h, or an index of ... */
  uint32_t *thread; /* numbers, as the owner of EVENTS */
  uint32_t thread_count;
  uint8_t *flags;                      /* by cell */
  uint32_t *whole_cell, *whole_pair;   /* by cell, by pair: the recorded one that it is a part of */
  uint64_t *allocations[2];            /* by device: before the window, and up to its end */
  const struct gpm_patterns *patterns; /* of sizes, by which cells are split; or null */
  bool is_part;                        /* of the run: figures are of ... */
  struct gpm_window window;
  uint64_t first_clock, last_clock; /* ticks in it; last < first: none */
  bool scopes;                      /* own peaks are known */
};

static inline unsigned gpm_split_flags(const struct gpm_reader *r, uint64_t cell) {
  return r->split ? r->split->flags[cell] : 0;
}
/* The blocks of the cell were allocated before the part of the run that is shown, so they do not
 * count as allocations in it. */
static inline bool gpm_split_is_older(const struct gpm_reader *r, uint64_t cell) {
  return gpm_split_flags(r, cell) & GPM_SPLIT_OLDER;
}
/* It is the moment at which the part of the run that is shown began: the clock of the event before.
 * A peak is of then if nothing in the part came up to what was live already. */
static inline bool gpm_split_is_begin(const struct gpm_reader *r, uint64_t clock) {
  return r->split && r->split->is_part && clock < r->split->first_clock;
}
/* Figures are of a part of the run. */
static inline bool gpm_split_is_part(const struct gpm_reader *r) {
  return r->split && r->split->is_part;
}

#endif
