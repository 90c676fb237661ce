/* apart_state.h - what apart.c makes of the events and apart_store.c makes cells of. */
#ifndef GPM_TOOLS_APART_STATE_H
#define GPM_TOOLS_APART_STATE_H

#include "events/apart.h"
#include "events/replay_state.h"
#include "support/memory.h"

struct gpm_part {
  uint32_t cell, key;
  unsigned flags;                        /* enum gpm_apart_flag */
  struct gpumemprof_capture_cell sums;   /* as a cell of these blocks alone would be */
  struct gpumemprof_capture_amount live; /* while events are read */
  uint64_t seen_peaks;                   /* sums.at_peak is of the device's peak of that number */
  uint32_t id;                           /* the cell that was made of it, or NONE */
};
/* What of a pair was of one part. */
struct gpm_part_freed {
  uint32_t pair, part;
  struct gpumemprof_capture_amount freed;
};

struct gpm_taking {
  struct gpm_reader *reader;
  struct gpm_apart *apart;
  const struct gpm_patterns *patterns; /* with sizes, or null */
  struct gpm_replay *replay;
  struct gpm_part *part;
  uint32_t part_count, part_room;
  struct gpm_part_freed *freed;
  uint32_t freed_count, freed_room;
  struct gpm_map by_code, by_pair; /* (cell, key, flags), (pair, part) -> index */
  struct gpm_map threads;          /* number -> index */
  bool begun, ended_early;         /* of the window: events came before it, and behind it */
  bool opened;                     /* there is a history */
};

/* apart_store.c: puts the parts into the reader, of a window all figures. */
void gpm_apart_store(struct gpm_taking *taking);

#endif
