/* packing.h - how large an arena has to be in which blocks get fixed offsets: the blocks of a
 * device, each at some of its positions (uses.h).
 *
 *   lower   the highest total of what is live at once: no arena is smaller
 *   upper   one that was found, by a known way to choose offsets
 *
 * The smallest arena lies between them; to find it is NP-hard (dynamic storage allocation). Up to a
 * bound of work, offsets are chosen for the largest block first, in the smallest gap between those
 * that are live with it ("greedy by size": Pisarchyk and Lee, Efficient Memory Management for Deep
 * Neural Net Inference, 2020). Beyond it they are chosen in the order of time, in the smallest free
 * range, as an allocator would that knows no future: n blocks take n log n steps.
 */
#ifndef GPM_TOOLS_PACKING_H
#define GPM_TOOLS_PACKING_H

#include <stddef.h>
#include <stdint.h>

struct gpm_packed {
  uint64_t bytes, offset;
  uint32_t from, to; /* live at positions `from` to before `to`, at least one */
};

enum gpm_packing_way { GPM_PACKING_BY_SIZE, GPM_PACKING_BEST_FIT };

struct gpm_packing {
  uint64_t lower, upper;
  enum gpm_packing_way way; /* in which `upper` was found */
};

/* Sorts the blocks by `from`, and sets the offset of each. */
struct gpm_packing gpm_packing_find(struct gpm_packed *block, uint32_t count);
/* These do it in one of the ways, with blocks that are sorted, and return the size of the arena. */
uint64_t gpm_packing_by_size(struct gpm_packed *block, uint32_t count);
uint64_t gpm_packing_best_fit(struct gpm_packed *block, uint32_t count);

#endif
