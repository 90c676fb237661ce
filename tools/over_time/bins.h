/* bins.h - histograms of blocks by size and by lifetime. `histogram` prints one of them, a page
 * (page.h) has both.
 *
 *   sizes      powers of two, as the rows of `report --by size`, where blocks of unknown size are a
 *              bin of their own; if all events are there, from the lifetime of each block
 *   lifetimes  below 100 ns and then powers of ten, from the lifetime of each block
 */
#ifndef GPM_TOOLS_BINS_H
#define GPM_TOOLS_BINS_H

#include "events/block_lifetimes.h"
#include "model/sizes.h"
#include "rows/rows.h"

struct gpm_bin {
  char *text;
  bool ranged; /* false: the bin is not a part of the scale */
  uint64_t from, below;
  uint64_t blocks, bytes, at_peak;
};

struct gpm_bins {
  const struct gpm_profile *profile;
  struct gpm_bin bin[GPM_SIZES_CLASSES];
  uint32_t count;
  uint64_t least, most; /* sizes: the smallest and the largest block whose own size is not known */
};

void gpm_bins_sizes(struct gpm_bins *sizes, const struct gpm_profile *profile);
/* Fills the bins from the lifetimes of blocks; `sizes` may be null. Returns false after it reported
 * what is wrong (block_lifetimes.h). */
bool gpm_bins_lifetimes(struct gpm_bins *sizes, struct gpm_bins *lifetimes,
                        const struct gpm_profile *profile, struct gpm_reader *reader);
/* The same with a listener to lifetimes (block_lifetimes.h). `sizes` may be null; both have to
 * outlive the walk. */
struct gpm_bins_of_lifetimes {
  struct gpm_bins *sizes, *lifetimes;
};
struct gpm_listener gpm_bins_listen(const struct gpm_bins_of_lifetimes *both,
                                    const struct gpm_profile *profile);
void gpm_bins_free(struct gpm_bins *bins);

/* True for the bins of the scale from the first to the last that has blocks or was live at a peak,
 * and for others that have or were. */
bool gpm_bins_shown(const struct gpm_bins *bins, uint32_t bin);

#endif
