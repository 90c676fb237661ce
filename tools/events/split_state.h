/* split_state.h - the parts that split.c computes from the events and split_store.c stores as
 * cells. */
#ifndef GPM_TOOLS_SPLIT_STATE_H
#define GPM_TOOLS_SPLIT_STATE_H

#include "events/replay_state.h"
#include "events/split.h"
#include "support/map.h"
#include "support/memory.h"

struct gpm_part {
  uint32_t cell, key;
  unsigned flags;                        /* enum gpm_split_flag */
  struct gpumemprof_capture_cell sums;   /* the figures of a cell that has only these blocks */
  struct gpumemprof_capture_amount live; /* valid while events are read */
  uint64_t seen_peaks; /* sums.at_peak belongs to the device's peak of that number */
  uint32_t id;         /* the cell that was made from it, or NONE */
};
/* The frees of a pair that belong to one part. */
struct gpm_part_freed {
  uint32_t pair, part;
  struct gpumemprof_capture_amount freed;
};

struct gpm_splitting {
  struct gpm_reader *reader;
  struct gpm_split *split;
  const struct gpm_patterns *patterns; /* patterns with sizes, or null */
  struct gpm_replay *replay;
  struct gpm_part *part;
  uint32_t part_count, part_room;
  struct gpm_part_freed *freed;
  uint32_t freed_count, freed_room;
  struct gpm_map by_code, by_pair; /* (cell, key, flags), (pair, part) -> index */
  struct gpm_map threads;          /* number -> index */
  bool waiting;                    /* the window has not begun */
  uint64_t latest, latest_ticks;   /* clock and time of the latest event */
  bool begun, ended_early; /* there were events before the window; there were events after it */
  bool opened;             /* the capture has a history */
};

/* split_store.c: stores the parts in the reader; for a window, all other figures too. */
void gpm_split_store(struct gpm_splitting *splitting);

#endif
