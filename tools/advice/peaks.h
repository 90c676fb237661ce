/* peaks.h - the total of a device at each of its positions (uses.h), and its peak while blocks are
 * made to live at fewer of them.
 *
 * It is a segment tree with an addition at each node that holds for all below it, and the maximum
 * at its root, bottom-up as in "Efficient and easy segment trees" (Al.Cash, Codeforces, 2015;
 * increment of ranges, queries for the maximum). A leaf has a few totals side by side, so that the
 * tree is small enough for the cache. A change takes the logarithm of the number of positions,
 * however long its range is.
 */
#ifndef GPM_TOOLS_PEAKS_H
#define GPM_TOOLS_PEAKS_H

#include <stdint.h>

struct gpm_peaks {
  int64_t *total; /* by position, without what was added to the leaf or above it */
  struct gpm_peak {
    int64_t most;  /* the maximum below the node, with what was added to it as a whole */
    int64_t added; /* to all below it */
  } *node;
  uint32_t leaves; /* a power of two */
};

void gpm_peaks_make(struct gpm_peaks *peaks, uint32_t positions);
/* Sets the total at each position, which takes their number. */
void gpm_peaks_set(struct gpm_peaks *peaks, const int64_t *total, uint32_t positions);
void gpm_peaks_free(struct gpm_peaks *peaks);
/* Adds to the total from position `from` to before `to`. */
void gpm_peaks_add(struct gpm_peaks *peaks, uint32_t from, uint32_t to, int64_t bytes);
static inline int64_t gpm_peaks_now(const struct gpm_peaks *peaks) {
  return peaks->node[1].most;
}
/* Returns the first position at which the total is the peak. */
uint32_t gpm_peaks_at(const struct gpm_peaks *peaks);
/* Returns the highest total from position `from` to before `to`; if there is none, a
 * number far below 0. */
int64_t gpm_peaks_between(const struct gpm_peaks *peaks, uint32_t from, uint32_t to);

#endif
