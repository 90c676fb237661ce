/* bins.h - histograms of blocks: how many are of which size, or live how long. `histogram` prints
 * one, a page (page.h) has both.
 *
 *   sizes      powers of two: the rows of `report --by size`, so what is not told apart is a bin;
 * or, where the events are all there, from the life of each block lifetimes  below 100 ns and then
 * powers of ten, from the life of each block
 */
#ifndef GPM_TOOLS_BINS_H
#define GPM_TOOLS_BINS_H

#include "events/lives.h"
#include "model/sizes.h"
#include "rows/rows.h"

struct gpm_bin {
  char *text;
  bool ranged; /* else it is no part of the scale */
  uint64_t from, below;
  uint64_t blocks, bytes, at_peak;
};

struct gpm_bins {
  const struct gpm_profile *profile;
  struct gpm_bin bin[GPM_SIZES_CLASSES];
  uint32_t count;
  uint64_t least, most; /* sizes: of the blocks that are not told apart */
};

void gpm_bins_sizes(struct gpm_bins *sizes, const struct gpm_profile *profile);
/* From the lives of blocks; `sizes` may be null. False after it said what is wrong (lives.h). */
bool gpm_bins_lives(struct gpm_bins *sizes, struct gpm_bins *lifetimes,
                    const struct gpm_profile *profile, struct gpm_reader *reader);
/* The same by what a listener to lives (lives.h) hears; `sizes` may be null, and both stay. */
struct gpm_bins_of_lives {
  struct gpm_bins *sizes, *lifetimes;
};
struct gpm_listener gpm_bins_listen(const struct gpm_bins_of_lives *both,
                                    const struct gpm_profile *profile);
void gpm_bins_free(struct gpm_bins *bins);

/* Bins of the scale from the first to the last that has blocks, and what else has some. */
bool gpm_bins_shown(const struct gpm_bins *bins, uint32_t bin);

#endif
