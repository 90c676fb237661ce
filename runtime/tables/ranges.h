/* ranges.h - address ranges in order, and the longest of them. */
#ifndef GPM_RANGES_H
#define GPM_RANGES_H

#include <stdint.h>

/* A range of a tree; its memory belongs to the caller that inserted it. */
struct gpm_range {
  uint64_t start, bytes;
  uint64_t longest; /* bytes of the longest at or below it in the tree */
  struct gpm_range *parent, *left, *right;
};

/* A tree is a pointer to its root, null when empty. All operations: O(log n) expected, no
 * recursion. Ranges of one tree do not overlap; empty ones may start where others do. */
void gpm_ranges_insert(struct gpm_range **tree, struct gpm_range *range);
void gpm_ranges_remove(struct gpm_range **tree, struct gpm_range *range);
/* The last one that starts at or below the address, or null. */
struct gpm_range *gpm_ranges_floor(struct gpm_range *tree, uint64_t address);
struct gpm_range *gpm_ranges_first(struct gpm_range *tree);
struct gpm_range *gpm_ranges_next(struct gpm_range *range); /* by address; null: the last */
/* Start or bytes change; its neighbours in the order stay its neighbours. */
void gpm_ranges_resize(struct gpm_range *range, uint64_t start, uint64_t bytes);
static inline uint64_t gpm_ranges_longest(const struct gpm_range *tree) {
  return tree ? tree->longest : 0;
}
static inline struct gpm_range *gpm_ranges_holding(struct gpm_range *tree, uint64_t address) {
  struct gpm_range *r = gpm_ranges_floor(tree, address);
  return r && address - r->start < r->bytes ? r : (struct gpm_range *)0;
}

#endif /* GPM_RANGES_H */
