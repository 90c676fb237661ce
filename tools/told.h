/* told.h - what only events tell of a block: how large it was among others of its cell, and which
 * thread allocated it. From a capture with history=all, the cells and pairs taken apart by that.
 *
 *   cell 7: 5 blocks, 3073 bytes  -->  1 B: 2 blocks | 512 B to below 1 KiB: 1 | 2 KiB ...: 2
 *
 * A cell (or pair) has parts only if these make every figure of it: so not what a ring, a reset or
 * a switch of the history cut.
 */
#ifndef GPM_TOOLS_TOLD_H
#define GPM_TOOLS_TOLD_H

#include "grouping.h"

/* The blocks of one cell that are of one class, or thread. */
struct gpm_told_part {
  uint32_t cell, key;
  struct gpumemprof_capture_cell sums; /* as a cell of these blocks alone would be, untimed */
  uint64_t at_peak;
  uint64_t live, seen_peaks; /* while events are read */
};
/* What of a pair was of one class, or thread. */
struct gpm_told_freed {
  uint32_t pair, key;
  struct gpumemprof_capture_amount freed;
};

struct gpm_told {
  enum gpm_by by; /* SIZE: a key is a class; THREAD: an index of ... */
  uint32_t *thread;
  uint32_t thread_count;
  struct gpm_told_part *part; /* by cell, then by key */
  uint32_t part_count, part_room;
  struct gpm_told_freed *freed; /* by pair, then by key */
  uint32_t freed_count, freed_room;
  uint32_t *first_part, *first_freed; /* by cell, by pair; and behind the last their number */
};

/* Null where the capture has no events, or a reset made its figures begin later. */
struct gpm_told *gpm_told_new(struct gpm_reader *reader, const struct gpm_profile *profile,
                              enum gpm_by by);
void gpm_told_free(struct gpm_told *told);
/* Those of a cell, of a pair; none where it is not told. */
const struct gpm_told_part *gpm_told_of_cell(const struct gpm_told *told, uint32_t cell,
                                             uint32_t *count);
const struct gpm_told_freed *gpm_told_of_pair(const struct gpm_told *told, uint32_t pair,
                                              uint32_t *count);

#endif
