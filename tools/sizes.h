/* sizes.h - blocks by classes of their size, powers of two: class k > 0 holds 2^(k-1) and what is
 * below 2^k bytes, class 0 blocks of none.
 *
 * A cell knows the smallest and the largest of its blocks. Where both are of one class, so are all;
 * else their sizes are told by the events alone, if the program kept them (history=all).
 */
#ifndef GPM_TOOLS_SIZES_H
#define GPM_TOOLS_SIZES_H

#include "profile.h"

enum { GPM_SIZES_SEVERAL = 65, GPM_SIZES_CLASSES };

/* The blocks of one cell that are of one class. */
struct gpm_size {
  uint32_t cell, class;
  struct gpumemprof_capture_cell sums; /* as a cell of these blocks alone would be, untimed */
  uint64_t at_peak;
  uint64_t live, seen_peaks; /* while events are read */
};

struct gpm_sizes {
  struct gpm_size *part; /* by cell, then by class */
  uint32_t count, room;
  uint32_t *first; /* by cell: its first part, and behind the last cell their number */
};

/* From the events of a capture; null where it has none. A cell has parts only if they add up to
 * every figure of it: so not those that a ring, a reset or a pause of the history cut. */
struct gpm_sizes *gpm_sizes_new(struct gpm_reader *reader, const struct gpm_profile *profile);
void gpm_sizes_free(struct gpm_sizes *sizes);
const struct gpm_size *gpm_sizes_of_cell(const struct gpm_sizes *sizes, uint32_t cell,
                                         uint32_t *count);

/* The class of all blocks of a cell, or SEVERAL: by the figures of the cell. */
uint32_t gpm_sizes_class_of_cell(const struct gpm_reader *reader,
                                 const struct gpumemprof_capture_cell *cell);
/* "1 MiB to below 2 MiB"; to be freed. */
char *gpm_sizes_text(uint32_t class);

#endif
